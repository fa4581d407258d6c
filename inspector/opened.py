"""A tokenizer's folder, opened: what its files hold and say of one another; none of them is run.

A property whose file is not there raises `NotChecked`, which says what is lacking.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from companion.checks import shortened
from companion.files import kind_of, text_of
from inspector.added_tokens import AddedToken
from inspector.check import NotChecked, lacking
from inspector.folders import read
from inspector.library import Answer, ask
from inspector.limits import within
from inspector.pipeline import Pipeline
from inspector.settings import SPECIALS, Settings, beside, content_of
from inspector.showing import visible
from inspector.table import Table

TEXTS = (
    "It was in 2019, at 10:30.", " Two  spaces and\n\na line.", "Don't SHOUT, we'll HEAR IT'S ok",
    "Café, naïve, Ünïcode", "Cafe\u0301 ﬁne ½ Ａ", "x_1 = foo(bar[2]) # 100%", "今天 天气很好。",
    "नमस्ते दुनिया", "👩\u200d👧 ok …", "tab\there", "end ",
)  # fmt: skip
SETTINGS = "tokenizer_config.json"
_BUDGET = 60.0  # seconds, in which the largest published vocabulary is read on a slow machine
_READ = (".json", ".jinja", ".safetensors", ".txt")
_ROWS = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)
# Types of models that count positions from pad_token_id + 1 on.
_FROM_PAD = (
    "camembert", "data2vec-text", "ibert", "layoutlmv3", "longformer", "luke", "mpnet", "roberta",
    "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod",
)  # fmt: skip


class Number(NamedTuple):
    """A number, the file that says it, and the name that it has there."""

    value: int
    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} in {self.file}"


class Opened(Settings):
    """The files of a tokenizer: what they hold, and the `Pipeline`, or why there is none."""

    def __init__(self, path: str | os.PathLike[str], *, asks: bool = True) -> None:
        file, self.content = read(path)
        super().__init__(file)
        self.is_older = Path(path).is_dir() and file.name != "tokenizer.json"
        self.generation = beside(file, "generation_config")
        self.read: Pipeline | None = None
        self.refusal = ""
        try:
            self.table = Table(self.content)
            with within(_BUDGET):
                self.read = Pipeline(self.content)
        except (ValueError, RecursionError, TimeoutError) as error:
            self.refusal = f"{file}: {error}"
            if not hasattr(self, "table"):
                raise ValueError(self.refusal) from None
        #: What transformers makes of the folder, or why that is not known.
        self.answer: Answer | None = None
        self.unasked = ""
        try:
            if not asks or (self.is_older and not self.named_class):
                lacking("a class that a file names" if asks else "to ask transformers")
            if self.pipeline and file.name not in ("tokenizer.json", "vocab.json", "vocab.txt"):
                lacking("the folder of a tokenizer.json")
            self.answer = ask(file.parent, texts=TEXTS, markers=self.table.markers)
        except NotChecked as reason:
            self.unasked = str(reason)
        #: Files that should be read and cannot: a broken link, a pipe, a folder.
        there = (each for each in file.parent.glob("*.*") if not each.is_file())
        self.unread = sorted(each.name for each in there if each.suffix in _READ)

    # What a check may need.

    @property
    def pipeline(self) -> Pipeline:
        """What encodes and decodes."""
        return self.read or lacking("a file that Pipeline reads")

    @property
    def library(self) -> Answer:
        """What transformers makes of the folder."""
        if self.is_older:
            lacking("a tokenizer.json")
        if not self.answer:
            raise NotChecked(self.unasked)
        return self.answer

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
            found[SETTINGS] = template
        return found or lacking("a chat template")

    @property
    def template(self) -> str:
        """The source of the chat template."""
        return next(iter(self.templates.values()))

    @property
    def any_config(self) -> dict[str, Any]:
        """Settings of the tokenizer or of the model, where there are any."""
        return (self.config or self.model_config) or lacking(f"{SETTINGS} or config.json")

    @cached_property
    def limit(self) -> int:
        """How many tokens the settings allow; 0, if any number."""
        values: Any = map(self.config.get, ("model_max_length", "max_len"))
        return int(next((n for n in values if type(n) in (int, float) and 0 < n < 10**9), 0))

    @cached_property
    def positions(self) -> Number:
        """How many tokens have a position."""
        found = self._number("max_position_embeddings", "n_positions")
        if not found:
            lacking("the positions in config.json")
        if self.model_config.get("model_type") not in _FROM_PAD:
            return found
        pad = self.model_config.get("pad_token_id")
        lost = pad + 1 if type(pad) is int else 2
        return Number(found.value - lost, f"{found.file}, less {lost} for padding,", found.name)

    @cached_property
    def rows(self) -> Number:
        """How many rows the token table has."""
        weights = (p for p in sorted(self.file.parent.glob("*.safetensors")) if p.is_file())
        found = next(filter(None, map(_rows_of, weights)), None) or self._number("vocab_size")
        return found or lacking("the size of the token table")

    @cached_property
    def new_tokens(self) -> list[str]:
        """The tokens that transformers adds, because only the settings name them."""
        named = (*map(self.config.get, SPECIALS), *self.extra, *self.listed.values())
        wanted = {*self.answer.added} if self.answer else {*map(content_of, named)}
        return [] if self.is_older else sorted(wanted - self.table.ids.keys() - {""})

    @property
    def n_ids(self) -> int:
        """The highest id plus one, with those of the tokens that transformers adds."""
        return self.table.n_vocab + len(self.new_tokens)

    # What the settings say of tokens.

    @cached_property
    def specials(self) -> dict[str, str]:
        """The special tokens by their names, of the settings or the class; "" if there is none."""
        of_class = self.answer.specials if self.answer else {}
        return {
            name: content_of(self.config[name]) if name in self.config else of_class.get(name, "")
            for name in SPECIALS
        }

    @cached_property
    def ends(self) -> dict[str, set[int]]:
        """The ids of EOS by the place that names them: generation takes the first."""
        ends = dict[str, set[int]]()
        for place, config in reversed([*self.configs()]):
            value = config.get("eos_token_id")
            ids = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
            ends |= {place: ids} if ids else {}
        eos = self.table.ids.get(self.specials["eos_token"])
        where = self.home("eos_token") if "eos_token" in self.config else self.named_class
        ends |= {} if eos is None else {where: {eos}}
        return ends or lacking("an EOS")

    @property
    def special_tokens(self) -> list[AddedToken]:
        """The added tokens that are special and no white space."""
        added = (token for token, _, _ in self.table.added)
        return [token for token in added if token.special and token.content.strip()]

    def home(self, name: str) -> str:
        """Return the file whose value of a special token counts."""
        return "special_tokens_map.json" if name in self.older else SETTINGS

    def entry(self, token: str) -> str:
        """Return the place of an added token in the file."""
        return f"{self.file.name}, added_tokens, {json.dumps(token, ensure_ascii=False)}"

    def named(self, ids: Iterable[int]) -> str:
        """Name ids with the tokens that they are."""
        texts = {i: visible(self.table.tokens[i]) for i in ids if i in self.table.tokens}
        return " and ".join(f"{i} {texts.get(i, '(no token)')}" for i in sorted(ids))

    def configs(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the settings of the text part of a model, of the model, and of generation."""
        if isinstance(nested := self.model_config.get("text_config"), dict):
            yield "config.json, text_config", nested
        yield "config.json", self.model_config
        yield "generation_config.json", self.generation

    def _number(self, *names: str) -> Number | None:
        # Return the first of some numbers in the settings of the model.
        found = ((each.get(n), at, n) for at, each in self.configs() for n in names)
        return next((Number(n, *said) for n, *said in found if type(n) is int), None)


def _rows_of(path: Path) -> Number | None:
    # Return the rows of the token table in a file of weights, of which the header is read.
    with open(path, "rb") as file:
        data = file.read(4096)
        if (kind := kind_of(data)) and kind.name != "a file of weights (safetensors)":
            return None  # such as a pointer of git-lfs
        size = int.from_bytes(data[:8], "little")
        try:
            if size > min(path.stat().st_size, 100_000_000):
                raise ValueError(f"a header of {size:,} bytes")
            file.seek(8)
            for name, tensor in json.loads(file.read(size)).items():
                if _ROWS.fullmatch(name):
                    if type(rows := tensor["shape"][0]) is not int or rows < 1:
                        raise ValueError(f"{name} has the shape {shortened(tensor['shape'])}")
                    return Number(rows, path.name, name)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return None
