"""The stages of a tokenizer, put together."""

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from companion.checks import as_id, describe, valid_text
from companion.runs import RunMemory
from companion.wordpiece import PairEncoding
from inspector import decoders, normalizers, pre_tokenizers
from inspector.added_tokens import finder
from inspector.folders import read
from inspector.limits import within
from inspector.models import model
from inspector.parts import Tokens, made
from inspector.post_processors import Layout, post_processor
from inspector.table import Table

_BUDGET = 8.0  # seconds in which the added tokens are normalized


class Stages(NamedTuple):
    """What each stage of a `Pipeline` makes of a text; an added token passes them as it is.

    `normalized` has the stretches of normalized text between added tokens, `pre_tokens` the pieces
    that the model gets, `tokens` what it makes of them, and `ids` theirs with those that the
    post-processor puts around them.
    """

    normalized: list[str]
    pre_tokens: list[str]
    tokens: list[str]
    ids: list[int]


class Pipeline:
    """The tokenizer of a model, as its `tokenizer.json` describes it; `from_file` reads one.

    `vocab` maps each token to its id, `added_tokens` the id of each `AddedToken` to it; `n_vocab`
    is the highest id plus one. The five stages, `normalizer` to `decoder`, print their settings.

    Parameters
    ----------
    content : dict
        What a `tokenizer.json` holds, as `json.load` returns it.

    Notes
    -----
    Ids, tokens, segments and decoded texts are those of the package `tokenizers` without
    padding and truncation: what a file saves of these is not applied. A lone surrogate is read as
    U+FFFD. Characters that came into Unicode after version 9 may be normalized or lower-cased as
    another version has them, and graphemes of emoji and Indic scripts before `Precompiled`.

    A `ValueError` names what is not supported when the file is read, never later: a part or a
    pattern, an added token whose id is not the one that `tokenizers` gives it, an id or a token
    given twice, a merge of what is no token, a model without a token for what is unknown.

    Examples
    --------
    >>> from inspector import Pipeline
    >>> vocab = {"[UNK]": 0, "hug": 1, "##s": 2}
    >>> model = {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"}
    >>> lowercase, split = {"type": "Lowercase"}, {"type": "WhitespaceSplit"}
    >>> tokenizer = Pipeline({"normalizer": lowercase, "pre_tokenizer": split, "model": model})
    >>> tokenizer.encode("Hugs hug you"), tokenizer.decode([1, 2, 0])
    ([1, 2, 1, 0], 'hug ##s [UNK]')
    >>> tokenizer.encode_pair("Hugs", "you")
    PairEncoding(ids=[1, 2, 0], segment_ids=[0, 0, 1], tokens=['hug', '##s', '[UNK]'])
    >>> tokenizer.stages("Hugs")
    Stages(normalized=['hugs'], pre_tokens=['hugs'], tokens=['hug', '##s'], ids=[1, 2])
    """

    STAGES = ("normalizer", "pre_tokenizer", "model", "post_processor", "decoder")

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content
        table = Table(content)
        self._model_vocab = table.checked_vocab()
        self.model = model(content["model"], self._model_vocab)
        self.normalizer = made("normalizer", content.get("normalizer"), normalizers.KINDS)
        # What begins a text may be cut in another way than what follows an added token.
        self.pre_tokenizer, self._pre_tokenizer_inside = (
            made("pre-tokenizer", content.get("pre_tokenizer"), pre_tokenizers.KINDS, begins=begins)
            for begins in (True, False)
        )
        self.post_processor = post_processor(content.get("post_processor"))
        self._layout: Layout = self.post_processor.work
        self.decoder = made("decoder", content.get("decoder"), decoders.KINDS)
        self.added_tokens = added = table.checked_added()
        self._special = {token.content for token in added.values() if token.special}
        self.vocab = self._model_vocab | {token.content: i for i, token in added.items()}
        # A token that is found in the normalized text is normalized, and decoded so.
        with within(_BUDGET):  # a pattern of a stranger's file may take for ever
            normalized = {i: self.normalizer(t.content) for i, t in added.items() if t.normalized}
        texts = {i: token.content for i, token in added.items()} | normalized
        self._tokens = {i: token for token, i in self._model_vocab.items()} | texts
        self.n_vocab = max(self._tokens, default=-1) + 1
        self._find_raw = finder({i: t for i, t in added.items() if i not in normalized}, texts)
        self._find_normalized = finder({i: added[i] for i in normalized}, texts)
        self._memory = RunMemory[tuple[str, int]](self.model)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "Pipeline":
        r"""Read a `tokenizer.json`, or a folder with one, or with the older files.

        A folder without it may have a `vocab.json` and a `merges.txt`, or a `vocab.txt`. These are
        read with the stages of GPT-2, or of BERT, and the special tokens of the files beside them.
        Where `tokenizer_class` or `model_type` names another class, the installed transformers
        builds its stages, in a process of its own; where nothing is named, the inspection says so.
        A `ValueError` says what any other file is, and what to do.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "vocab.txt")
        ...     _ = path.write_text("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n", encoding="utf-8")
        ...     Pipeline.from_file(folder).encode("Hugs")
        [1, 3, 4, 2]
        """
        file, content = read(path)
        try:
            return cls(content)
        except (ValueError, RecursionError, TimeoutError) as error:
            raise ValueError(f"{file}: {error}") from error

    def __repr__(self) -> str:
        lines = (f"  {name}: {getattr(self, name)!r}\n" for name in self.STAGES)
        sizes = f"{self.n_vocab:,} ids, {len(self.added_tokens):,} of them added tokens"
        return f"Pipeline({sizes}\n{''.join(lines)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy for another process is made anew: what encoding has remembered stays here.
        return type(self), (self._content,)

    def encode(
        self, text: str, *, add_special_tokens: bool = True, split_added_tokens: bool = False
    ) -> list[int]:
        """Turn a text into ids; `add_special_tokens` puts those of the post-processor around it.

        With `split_added_tokens`, the text of an added token is plain text, so that a text from
        outside cannot forge one: none of their ids is found in it, but the unknown token's.

        >>> switches = ("special", "normalized", "lstrip", "rstrip", "single_word")
        >>> end = {"content": "</s>", "id": 1} | dict.fromkeys(switches, False)
        >>> model = {"type": "WordLevel", "vocab": {"?": 0, "</s>": 1}, "unk_token": "?"}
        >>> tokenizer = Pipeline({"added_tokens": [end], "model": model})
        >>> tokenizer.encode("</s>"), tokenizer.encode("</s>", split_added_tokens=True)
        ([1], [0])
        """
        _, _, tokens = self._traced(text, split_added_tokens)
        return self._layout(tokens, adds_specials=add_special_tokens).ids

    def encode_pair(self, first: str, second: str | None = None) -> PairEncoding:
        """Turn one text or two into ids, segments and tokens, with the special tokens.

        The token of an unknown character is the name of the unknown token, or in Unigram the
        character itself; the token of an added token is the text that it took.
        """
        texts = [first] if second is None else [first, second]
        return self._layout(*(self._traced(text)[2] for text in texts))

    def stages(self, text: str) -> Stages:
        """Return what each stage makes of a text."""
        normalized, pieces, tokens = self._traced(text)
        ids = self._layout(tokens).ids
        return Stages(normalized, pieces, [token for token, _ in tokens], ids)

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        """Turn ids into a text, as the file's decoder joins tokens.

        An id that no token has is left out, and with `skip_special_tokens` each special token.
        """
        if isinstance(ids, str | bytes):  # bytes would be taken for their numbers
            raise TypeError(f"ids must be an iterable of integers, not {describe(ids)}")
        found = (self._tokens.get(as_id(value, "an id")) for value in ids)
        hidden = self._special if skip_special_tokens else ()
        return "".join(self.decoder([t for t in found if t is not None and t not in hidden]))

    def _traced(
        self, text: str, split_added_tokens: bool = False
    ) -> tuple[list[str], list[str], Tokens]:
        # Return the stretches, the pre-tokens, and the tokens with their ids.
        find_raw, find_normalized, memory = self._find_raw, self._find_normalized, self._memory
        if split_added_tokens:
            find_raw, find_normalized, memory = finder({}, {}), finder({}, {}), self._plain_memory
        stretches: list[str] = []
        pieces: list[str] = []
        tokens: Tokens = []
        # 1. Added tokens that stand in the raw text.
        for raw, raw_id in find_raw(valid_text(text, "text")):
            # 2. What is between is normalized, and may hold added tokens that count then.
            inside = find_normalized(self.normalizer(raw)) if raw_id is None else [(raw, raw_id)]
            for stretch, token_id in inside:
                # Where the first character is lost, what follows does not begin the text.
                begins = not (stretches or normalizers.loses_beginning(self.normalizer, raw))
                stretches.append(stretch)
                if token_id is not None:
                    pieces.append(stretch)
                    tokens.append((stretch, token_id))
                    continue
                # 3. What is between these is cut into pre-tokens, and the model makes tokens.
                cut = self.pre_tokenizer if begins else self._pre_tokenizer_inside
                found = [*filter(None, cut(stretch))]
                pieces += found
                tokens += memory.ids_of(found)
        return stretches, pieces, tokens

    @cached_property
    def _plain_memory(self) -> RunMemory[tuple[str, int]]:
        # The memory for texts in which no added token may be found.
        hidden = {token.content for token in self.added_tokens.values()}
        return RunMemory(model(self._content["model"], self._model_vocab, hidden))
