"""The files of a tokenizer and what lies beside them, read together; none of them is run."""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from companion._files import text_of
from companion.pipeline.classes import class_of, named
from companion.pipeline.limits import within
from companion.pipeline.parts import field
from companion.pipeline.pipeline import Pipeline
from companion.pipeline.reading import Repeated, beside, read, settings_of

_BUDGET = 60.0  # seconds, in which the largest published vocabulary is read on a slow machine
_BESIDE = {"chat_template.jinja", "special_tokens_map.json", "tokenizer_config.json"}
_BESIDE |= {"config.json", "generation_config.json"}


class TokenizerFiles:
    """The files of a tokenizer: what they hold, and the `Pipeline`, or why there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.repeated: Repeated = {}
        self.file, self.content = read(path, self.repeated)
        self.is_older = Path(path).is_dir() and self.file.name != "tokenizer.json"
        self.pipeline: Pipeline | None = None
        self.refusal = ""
        try:
            if self.repeated:
                raise ValueError(f"{min(self.repeated)!r} has several ids")
            with within(_BUDGET):
                self.pipeline = Pipeline(self.content)
        except (ValueError, RecursionError, TimeoutError) as error:
            self.refusal = f"{self.file}: {error}"
        self.config = settings_of(self.file)
        self.model_config = beside(self.file, "config")
        self.generation = beside(self.file, "generation_config")
        self.template = self._template()
        folder = self.file.parent.iterdir()
        #: Files that should be read and cannot: a broken link, a pipe, a folder.
        self.unread = sorted(
            path.name
            for path in folder
            if (path.name in _BESIDE or path.suffix == ".safetensors") and not path.is_file()
        )

    def _template(self) -> str:
        """Return the source of the chat template."""
        if (jinja := self.file.with_name("chat_template.jinja")).is_file():
            return text_of(jinja, "a chat template")
        template = self.config.get("chat_template")
        if isinstance(template, list):  # several, each with its name
            named = {str(e.get("name")): e.get("template") for e in template if isinstance(e, dict)}
            template = named.get("default", next(iter(named.values()), ""))
        return template if isinstance(template, str) else ""

    @cached_property
    def model_vocab(self) -> list[tuple[str, int]]:
        """The tokens of the model, with all ids that the file gives them."""
        vocab: Any = self.content["model"].get("vocab")
        if isinstance(vocab, list):
            pairs = [(piece[0], i) for i, piece in enumerate(vocab)]
        else:
            several = [(token, i) for token, ids in self.repeated.items() for i in ids]
            pairs = [*vocab.items(), *several]
        if {(type(token), type(i)) for token, i in pairs} - {(str, int)}:
            raise TypeError("a token is no text, or an id no number")
        return pairs

    @cached_property
    def added(self) -> list[tuple[str, int]]:
        """The added tokens, with the ids that the file gives them."""
        parts = field(self.content, "added_tokens", list, [])
        return [(field(part, "content", str), field(part, "id", int)) for part in parts]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of each token, that of an added token last."""
        return dict([*self.model_vocab, *self.added])

    @cached_property
    def n_vocab(self) -> int:
        """The highest id plus one."""
        return max((i for _, i in [*self.model_vocab, *self.added]), default=-1) + 1

    @cached_property
    def has_byte_signs(self) -> bool:
        """Whether a stage writes or reads the signs of bytes."""
        parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        return '"ByteLevel"' in json.dumps([self.content.get(name) for name in parts])

    @cached_property
    def rebuilt(self) -> dict[str, Any]:
        """The class for which transformers builds other stages, if the table has it."""
        return class_of(self.config, self.model_config, self.has_byte_signs)

    def named(self, name: str) -> str | None:
        """Return a special token by its name, such as "eos_token"."""
        value = named(self.config, name, self.rebuilt.get("defaults", {}).get(name))
        return value if isinstance(value, str) else None
