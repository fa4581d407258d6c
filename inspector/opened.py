"""A tokenizer's folder, opened: what its files hold and say of one another; none of them is run.

A property whose file is not there raises `NotChecked`, which says what is lacking.
"""

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from companion.checks import shortened
from companion.files import kind_of, text_of
from inspector.added_tokens import AddedToken
from inspector.check import NotChecked, Place, known, lacking
from inspector.folders import read
from inspector.library import Answer, ask
from inspector.limits import within
from inspector.parts import field
from inspector.pipeline import Pipeline
from inspector.settings import SPECIALS, beside, class_named, content_of, loaded, settings_of
from inspector.table import Table

TEXTS = (
    "It was in 2019, at 10:30.", " Two  spaces and\n\na line.", "Don't SHOUT, we'll HEAR IT'S ok",
    "Café, naïve, Ünïcode", "Cafe\u0301 ﬁne ½ Ａ", "x_1 = foo(bar[2]) # 100%", "今天 天气很好。",
    "नमस्ते दुनिया", "👩\u200d👧 ok …", "tab\there", "end ",
)  # fmt: skip
_BUDGET = 60.0  # seconds, in which the largest published vocabulary is read on a slow machine
_BESIDE = {"chat_template.jinja", "special_tokens_map.json", "tokenizer_config.json"}
_BESIDE |= {"config.json", "generation_config.json", "vocab.txt", "vocab.json", "merges.txt"}
_ROWS = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)
# Types of models that count positions from pad_token_id + 1 on.
_FROM_PAD = (
    "camembert", "data2vec-text", "ibert", "layoutlmv3", "longformer", "luke", "mpnet", "roberta",
    "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod",
)  # fmt: skip
_STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_ANY_CLASS = ("", "PreTrainedTokenizer", "TokenizersBackend")  # they add no token of their own


class Number(NamedTuple):
    """A number, the file that says it, and the name that it has there."""

    value: int
    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} in {self.file}"


class Opened:
    """The files of a tokenizer: what they hold, and the `Pipeline`, or why there is none."""

    def __init__(self, path: str | os.PathLike[str], *, asks: bool = True) -> None:
        self.file, self.content = read(path)
        self.is_older = Path(path).is_dir() and self.file.name != "tokenizer.json"
        self.config, self._older = settings_of(self.file)
        self.model_config = beside(self.file, "config")
        self.generation = beside(self.file, "generation_config")
        self.read: Pipeline | None = None
        self.refusal = ""
        self._asks = asks
        self._answer: Answer | str | None = None  # or why there is none
        try:
            self.table = Table(self.content)
            with within(_BUDGET):
                self.read = Pipeline(self.content)
        except (ValueError, RecursionError, TimeoutError) as error:
            self.refusal = f"{self.file}: {error}"
            if not hasattr(self, "table"):
                raise ValueError(self.refusal) from None
        stages = map(self.content.get, _STAGES)
        self.has_byte_signs = "'ByteLevel'" in str([*stages])
        self.named_class = class_named(self.config, self.model_config)
        #: The file where a setting of the tokenizer is to be written.
        has_settings = self.file.with_name("tokenizer_config.json").is_file()
        self.settings = "tokenizer_config.json" if has_settings else "a new tokenizer_config.json"
        #: Files that should be read and cannot: a broken link, a pipe, a folder.
        there = [p for p in self.file.parent.iterdir() if not p.is_file()]
        self.unread = sorted(
            p.name for p in there if p.name in _BESIDE or p.suffix == ".safetensors"
        )

    # What a check may need.

    @property
    def pipeline(self) -> Pipeline:
        """What encodes and decodes."""
        return self.read or lacking("a file that Pipeline reads")

    @property
    def library(self) -> Answer:
        """What transformers makes of the folder."""
        if self._answer is None:
            try:
                self._answer = self._asked()
            except NotChecked as reason:
                self._answer = str(reason)
        if isinstance(self._answer, str):
            raise NotChecked(self._answer)
        return self._answer

    def _asked(self) -> Answer:
        if not self._asks:
            raise NotChecked("transformers was not asked")
        if self.is_older and not self.named_class:
            lacking("a class that a file names")
        if self.pipeline and self.file.name not in ("tokenizer.json", "vocab.json", "vocab.txt"):
            lacking("the folder of a tokenizer.json")
        return ask(self.file.parent, texts=TEXTS, markers=tuple(self.table.markers))

    @cached_property
    def templates(self) -> dict[str, str]:
        """The sources of the chat template by their files; the first is the one that counts."""
        found = {}
        if (jinja := self.file.with_name("chat_template.jinja")).is_file():
            found[jinja.name] = text_of(jinja, "a chat template")
        template = self.config.get("chat_template")
        if isinstance(template, list):  # several, each with its name
            named = {e.get("name"): e.get("template") for e in template if isinstance(e, dict)}
            template = named.get("default", next(iter(named.values()), ""))
        if template and isinstance(template, str):
            found["tokenizer_config.json"] = template
        return found or lacking("a chat template")

    @property
    def template(self) -> str:
        """The source of the chat template."""
        return next(iter(self.templates.values()))

    @property
    def any_config(self) -> dict[str, Any]:
        """Settings of the tokenizer or of the model, where there are any."""
        return (self.config or self.model_config) or lacking("tokenizer_config.json or config.json")

    @cached_property
    def limit(self) -> int:
        """How many tokens the settings allow; 0, if any number."""
        values = [self.config.get(name) for name in ("model_max_length", "max_len")]
        numbers = [n for n in values if isinstance(n, int | float) and not isinstance(n, bool)]
        return int(next((n for n in numbers if 0 < n < 10**9), 0))

    @cached_property
    def positions(self) -> Number:
        """How many tokens have a position."""
        found = self._number("max_position_embeddings", "n_positions")
        if not found:
            lacking("the positions in config.json")
        if self.model_config.get("model_type") not in _FROM_PAD:
            return found
        pad = self.model_config.get("pad_token_id", 1)
        lost = (pad if type(pad) is int else 1) + 1
        file = f"{found.file}, less {lost} for padding,"
        return found._replace(value=found.value - lost, file=file)

    @cached_property
    def rows(self) -> Number:
        """How many rows the token table has."""
        weights = (p for p in sorted(self.file.parent.glob("*.safetensors")) if p.is_file())
        found = next(filter(None, map(_rows_of, weights)), None) or self._number("vocab_size")
        return found or lacking("the size of the token table")

    @cached_property
    def n_ids(self) -> int:
        """The highest id plus one, with those of the tokens that transformers adds."""
        library = known(lambda: self.library)
        if library is None:
            return self.table.n_vocab + len(self.new_tokens)
        return max([self.table.n_vocab - 1, *library.added.values()]) + 1

    @cached_property
    def ends(self) -> dict[str, set[int]]:
        """The ids of EOS that the tokenizer, the model and its generation name, by the place."""
        eos = self.special("eos_token")
        ends = {self.origin("eos_token"): {self.table.ids[eos]}} if eos in self.table.ids else {}
        for place, config in self.configs():
            value = config.get("eos_token_id")
            ids = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
            ends |= {str(place): ids} if ids else {}
        return ends or lacking("an EOS")

    # What the settings say of tokens.

    def special(self, name: str) -> str:
        """Return a special token by its name, such as "eos_token"; "" if there is none."""
        if name in self.config:
            return content_of(self.config[name])
        library = known(lambda: self.library)
        return library.specials.get(name, "") if library else ""

    def knows_specials(self) -> bool:
        """Tell whether a class can add no special token that is not known here."""
        is_known = self.named_class in _ANY_CLASS or self.is_older
        return is_known or known(lambda: self.library) is not None

    @cached_property
    def listed(self) -> set[str]:
        """The added tokens that the settings of the tokenizer list."""
        get = self.config.get
        extra = get("extra_special_tokens") or get("additional_special_tokens") or []
        rows = field(self.config, "added_tokens_decoder", dict, {}).values()
        tokens = [*rows, *(extra.values() if isinstance(extra, dict) else extra)]
        return {*map(content_of, tokens)} - {""}

    @cached_property
    def new_tokens(self) -> list[str]:
        """The tokens that transformers adds, because only the settings name them."""
        if self.is_older:
            return []
        wanted = self.listed | {content_of(self.config.get(name)) for name in SPECIALS}
        return sorted(wanted - self.table.ids.keys() - {""})

    @property
    def special_tokens(self) -> list[AddedToken]:
        """The added tokens that are special and no white space."""
        added = (token for token, _, _ in self.table.added)
        return [token for token in added if token.special and token.content.strip()]

    def home(self, name: str) -> Place:
        """Return the file whose value of a special token counts."""
        return Place("special_tokens_map.json" if name in self._older else self.settings)

    @property
    def lack(self) -> str:
        """Say why a setting of the tokenizer is missing."""
        name = "tokenizer_config.json"
        if self.settings == name:
            return f"{name} has none"
        return f"{name} was not read" if name in self.unread else f"there is no {name}"

    def origin(self, name: str) -> str:
        """Say where a special token is named: in a file, or by the default of a class."""
        if name in self.config:
            return str(self.home(name))
        return f"{self.library.name}'s default ({self.lack})"

    def configs(self) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield the settings of the model, those of its text part, and those of generation."""
        yield Place("config.json"), self.model_config
        if isinstance(nested := self.model_config.get("text_config"), dict):
            yield Place("config.json", "text_config"), nested
        yield Place("generation_config.json"), self.generation

    def _number(self, *names: str) -> Number | None:
        """Return the first of some numbers in the settings of the model."""
        found = ((each.get(n), str(at), n) for at, each in self.configs() for n in names)
        return next((Number(n, *said) for n, *said in found if type(n) is int), None)


def _rows_of(path: Path) -> Number | None:
    """Return the rows of the token table in a file of weights, of which the header is read."""
    with open(path, "rb") as file:
        data = file.read(4096)
        if (kind := kind_of(data)) and kind.name != "a file of weights (safetensors)":
            return None  # such as a pointer of git-lfs
        size = int.from_bytes(data[:8], "little")
        try:
            if size + 8 > min(path.stat().st_size, 100_000_000):
                raise ValueError(f"a header of {size:,} bytes")
            data += file.read(max(0, size + 8 - len(data)))
            for name, tensor in loaded(data[8 : 8 + size]).items():
                if _ROWS.fullmatch(name):
                    if type(rows := tensor["shape"][0]) is not int or rows < 1:
                        raise ValueError(f"{name} has the shape {shortened(tensor['shape'])}")
                    return Number(rows, path.name, name)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return None
