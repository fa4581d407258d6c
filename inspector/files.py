"""The files of a tokenizer and what lies beside them, read together; none of them is run."""

import json
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from companion.checks import shortened
from companion.files import bundled_json, kind_of, text_of
from inspector.added_tokens import numbered
from inspector.classes import class_of, named, with_stages
from inspector.folders import beside, read, settings_of
from inspector.limits import within
from inspector.pipeline import Pipeline

_BUDGET = 60.0  # seconds, in which the largest published vocabulary is read on a slow machine
_BESIDE = {"chat_template.jinja", "special_tokens_map.json", "tokenizer_config.json"}
_BESIDE |= {"config.json", "generation_config.json"}
_TABLE = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)


class Said(NamedTuple):
    """A number, and which setting of which file says it; without a place, none does."""

    value: int = 0
    where: str = ""

    def __bool__(self) -> bool:
        return bool(self.where)


class TokenizerFiles:
    """The files of a tokenizer: what they hold, and the `Pipeline`, or why there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file, self.content = read(path)
        self.is_older = Path(path).is_dir() and self.file.name != "tokenizer.json"
        self.pipeline: Pipeline | None = None
        self.refusal = ""
        try:
            with within(_BUDGET):
                self.pipeline = Pipeline(self.content)
        except (ValueError, RecursionError, TimeoutError) as error:
            self.refusal = f"{self.file}: {error}"
        # The tokens, with the ids that the file gives them, those of added tokens last.
        try:
            vocab = self.content["model"].get("vocab")
            is_listed = isinstance(vocab, list)
            self.model_vocab = (
                [(p[0], i) for i, p in enumerate(vocab)] if is_listed else [*vocab.items()]
            )
            if {(type(token), type(i)) for token, i in self.model_vocab} - {(str, int)}:
                raise ValueError(self.refusal)
            self.added = [*numbered(self.content, dict(self.model_vocab))]
        except (AttributeError, LookupError, TypeError, ValueError):
            raise ValueError(self.refusal) from None
        self.markers = [token.content for token, _, _ in self.added]
        self.ids = dict(self.model_vocab) | {token.content: i for token, i, _ in self.added}
        self.used = {*(token_id for _, token_id in self.model_vocab), *self.ids.values()}
        self.n_vocab = max(self.used, default=-1) + 1
        self.merges = self.content["model"].get("merges")
        # What lies beside them.
        self.config, self._older = settings_of(self.file)
        self.model_config = beside(self.file, "config")
        self.generation = beside(self.file, "generation_config")
        self.any_config = self.config or self.model_config
        self.template = self._template()
        #: Files that should be read and cannot: a broken link, a pipe, a folder.
        self.unread = sorted(
            path.name
            for path in self.file.parent.iterdir()
            if (path.name in _BESIDE or path.suffix == ".safetensors") and not path.is_file()
        )
        #: The file where a setting of the tokenizer is to be written.
        self.settings = "tokenizer_config.json"
        if not self.file.with_name(self.settings).is_file():
            self.settings = f"a new {self.settings}"
        # The class that the folder names; its stages take the place of a file's, if it has any.
        parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        self.has_byte_signs = '"ByteLevel"' in json.dumps([*map(self.content.get, parts)])
        self.named_class = self.class_with()
        self.rebuilt = {} if self.is_older else self.named_class
        # How many tokens have a position, and how many the settings allow: 0, if any number.
        self.positions = self._positions()
        limits = (self.config.get(name) for name in ("model_max_length", "max_len"))
        numbers = (n for n in limits if isinstance(n, int | float) and not isinstance(n, bool))
        self.limit = next((n for n in numbers if 0 < n < 10**9), 0)
        # The ids of EOS that the tokenizer, the model and its generation name, and where.
        eos = self.named("eos_token")
        self.ends = {self.place("eos_token"): {self.ids[eos]}} if eos in self.ids else {}
        for name, config in self.configs():
            value = config.get("eos_token_id")
            ids = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
            self.ends |= {f"in {name}": ids} if ids else {}

    def _template(self) -> str:
        """Return the source of the chat template."""
        if (jinja := self.file.with_name("chat_template.jinja")).is_file():
            return text_of(jinja, "a chat template")
        template = self.config.get("chat_template")
        if isinstance(template, list):  # several, each with its name
            named = {str(e.get("name")): e.get("template") for e in template if isinstance(e, dict)}
            template = named.get("default", next(iter(named.values()), ""))
        return template if isinstance(template, str) else ""

    @property
    def mine(self) -> Pipeline:
        """The `Pipeline`; a `ValueError` says why there is none."""
        if self.pipeline is None:
            raise ValueError(self.refusal)
        return self.pipeline

    def class_with(self, **settings: str) -> dict[str, Any]:
        """Return the class that transformers builds, if the table has it, with more settings."""
        return class_of(self.config | settings, self.model_config, self.has_byte_signs)

    def built(self, config: dict[str, Any]) -> Pipeline:
        """Return the `Pipeline` with the stages of that class, which has these settings."""
        return Pipeline(with_stages(self.content, self.rebuilt, config, self.ids))

    def named(self, name: str) -> str:
        """Return a special token by its name, such as "eos_token"; "" if there is none."""
        value = named(self.config, name, self.named_class.get("defaults", {}).get(name))
        return value if isinstance(value, str) else ""

    def home(self, name: str) -> str:
        """Return the file whose value of a special token counts."""
        return "special_tokens_map.json" if name in self._older else self.settings

    @property
    def lack(self) -> str:
        """Say why a setting of the tokenizer is missing."""
        if "a new" not in self.settings:
            return f"{self.settings} has none"
        name = "tokenizer_config.json"
        return f"{name} was not read" if name in self.unread else f"there is no {name}"

    def place(self, name: str) -> str:
        """Say where a special token is named: in a file, or by the default of a class."""
        if name in self.config:
            return f"in {self.home(name)}"
        return f"by {self.named_class.get('name', 'its class')}'s default ({self.lack})"

    def configs(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the settings of the model, those of its text part, and those of generation."""
        yield "config.json", self.model_config
        if isinstance(nested := self.model_config.get("text_config"), dict):
            yield '"text_config" of config.json', nested
        yield "generation_config.json", self.generation

    def _number(self, *names: str) -> Said:
        """Return the first of some numbers in the settings of the model."""
        found = ((each.get(n), f"{n} in {place}") for place, each in self.configs() for n in names)
        return next((Said(value, where) for value, where in found if type(value) is int), Said())

    @cached_property
    def rows(self) -> Said:
        """How many rows the token table has."""
        weights = (
            each for each in sorted(self.file.parent.glob("*.safetensors")) if each.is_file()
        )
        return next(filter(None, map(_rows_of, weights)), self._number("vocab_size"))

    def _positions(self) -> Said:
        found = self._number("max_position_embeddings", "n_positions")
        # RoBERTa and its like count from pad_token_id + 1 on.
        from_pad = self.model_config.get("model_type") in bundled_json("findings.json")["from_pad"]
        if not found or not from_pad:
            return found
        pad = self.model_config.get("pad_token_id", 1)
        lost = (pad if type(pad) is int else 1) + 1
        return Said(found.value - lost, f"{found.where}, less {lost} for padding,")


def _rows_of(path: Path) -> Said:
    """Return the rows of the token table in a file of weights, of which the header is read."""
    with open(path, "rb") as file:
        data = file.read(4096)
        if (kind := kind_of(data)) and kind.name != "a file of weights (safetensors)":
            return Said()  # such as a pointer of git-lfs
        size = int.from_bytes(data[:8], "little")
        try:
            if size + 8 > min(path.stat().st_size, 100_000_000):
                raise ValueError(f"a header of {size:,} bytes")
            data += file.read(max(0, size + 8 - len(data)))
            for name, tensor in json.loads(data[8 : 8 + size]).items():
                if _TABLE.fullmatch(name):
                    if type(rows := tensor["shape"][0]) is not int or rows < 1:
                        raise ValueError(f"{name} has the shape {shortened(tensor['shape'])}")
                    return Said(rows, f"{name} in {path.name}")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return Said()
