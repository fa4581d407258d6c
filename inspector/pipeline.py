"""The stages of a tokenizer, put together."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from companion.checks import as_id, describe, valid_text
from companion.runs import RunMemory
from companion.wordpiece import PairEncoding
from inspector.added_tokens import finder
from inspector.decoders import decoder
from inspector.folders import read
from inspector.limits import within
from inspector.models import Tokenize, model
from inspector.normalizers import loses_beginning, normalizer
from inspector.post_processors import post_processor
from inspector.pre_tokenizers import pre_tokenizer
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

    Parameters
    ----------
    content : dict
        What a `tokenizer.json` holds, as `json.load` returns it.

    Attributes
    ----------
    vocab : dict of str to int
        Each token and its id, added tokens included.
    added_tokens : dict of int to AddedToken
        The tokens that are found in a text before the model sees it, by their ids.
    n_vocab : int
        The highest id plus one.
    normalizer, pre_tokenizer, model, post_processor, decoder
        The five stages; printed, a `Pipeline` shows them with their settings.

    Notes
    -----
    Ids, tokens, segments and decoded texts are those of the package `tokenizers` without
    padding and truncation: what a file saves of these is not applied. A lone surrogate is read as
    U+FFFD. A `ValueError` names what is not supported when the file is read, never later: another
    component than those below, a pattern that `companion.patterns` does not read, an
    added token whose id is not the one that `tokenizers` gives it, an id or a token given twice, a
    merge of what is no token, and a model without a token for what is unknown.

    Characters that came into Unicode after version 9 may be normalized or lower-cased as another
    version has them, and so may graphemes of emoji and of Indic scripts before `Precompiled`.

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
        self.normalizer = normalizer(content.get("normalizer"))
        self.pre_tokenizer = pre_tokenizer(content.get("pre_tokenizer"))
        self.post_processor = post_processor(content.get("post_processor"))
        self.decoder = decoder(content.get("decoder"))
        self.added_tokens = added = table.checked_added()
        self._special = {token.content for token in added.values() if token.special}
        self.vocab = self._model_vocab | {token.content: i for i, token in added.items()}
        self._tokens = {token_id: token for token, token_id in self.vocab.items()}
        # The library `tokenizers` decodes a token that is found in the normalized text as that.
        with within(_BUDGET):  # a pattern of a stranger's file may take for ever
            texts = {i: self.normalizer(t.content) for i, t in added.items() if t.normalized}
        self._tokens |= texts
        self.n_vocab = max(self._tokens, default=-1) + 1
        raw = {i: token for i, token in added.items() if not token.normalized}
        self._finders = [
            finder(raw, {i: token.content for i, token in raw.items()}),
            finder({i: added[i] for i in texts}, texts),
        ]
        self._memory = _remembering(self.model)

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

        >>> switches = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
        >>> end = {"content": "<end>", "id": 3, "special": True, **switches}
        >>> vocab = {"a": 0, "<": 1, "<unk>": 2, "<end>": 3}
        >>> model = {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": "<unk>"}
        >>> tokenizer = Pipeline({"added_tokens": [end], "model": model | {"fuse_unk": True}})
        >>> tokenizer.encode("a<end>"), tokenizer.encode("a<end>", split_added_tokens=True)
        ([0, 3], [0, 1, 2])
        """
        # 1. Cut the text into added tokens and stretches between; these are normalized and cut.
        # 2. Look up the ids of each pre-token, which the model makes the first time.
        memory = self._plain_memory if split_added_tokens else self._memory
        ids: list[int] = []
        for _, found in self._stretches(text, split_added_tokens):
            ids += [found] if isinstance(found, int) else memory.ids_of(found)
        items = [item for item in self.post_processor.single if item.text or add_special_tokens]
        parts = (ids if item.text else [i for _, i in item.specials] for item in items)
        return list(chain.from_iterable(parts))

    def encode_pair(self, first: str, second: str | None = None) -> PairEncoding:
        """Turn one text or two into ids, segments and tokens, with the special tokens.

        The token of an unknown character is the name of the unknown token, or in Unigram the
        character itself; the token of an added token is the text that it took.
        """
        texts = [first] if second is None else [first, second]
        return self.post_processor.filled(*(self._traced(text)[2] for text in texts))

    def stages(self, text: str) -> Stages:
        """Return what each stage makes of a text."""
        normalized, pieces, tokens = self._traced(text)
        ids = self.post_processor.filled(tokens).ids
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

    def _stretches(
        self, text: str, split_added_tokens: bool = False
    ) -> Iterator[tuple[str, list[str] | int]]:
        """Yield each added token with its id, and each normalized stretch with its pre-tokens."""
        text = valid_text(text, "text")
        find_raw, find_normalized = [finder({}, {})] * 2 if split_added_tokens else self._finders
        # 1. Added tokens that stand in the raw text.
        for start, raw, raw_id in find_raw(text):
            if raw_id is not None:
                yield raw, raw_id
                continue
            # 2. What is between is normalized, and may hold added tokens that count then.
            # Where the first character is lost, what follows does not count as the beginning.
            is_first = start == 0 and not loses_beginning(self.normalizer, raw)
            for inner, stretch, token_id in find_normalized(self.normalizer(raw)):
                # 3. What is between these is cut into pre-tokens.
                first = max(1, len(self.normalizer(raw[:1]))) if is_first and inner == 0 else 0
                found = [*filter(None, self.pre_tokenizer(stretch, first))]
                yield stretch, found if token_id is None else token_id

    def _traced(self, text: str) -> tuple[list[str], list[str], list[tuple[str, int]]]:
        """Return the stretches, the pre-tokens, and the tokens with their ids."""
        stretches: list[str] = []
        pieces: list[str] = []
        tokens: list[tuple[str, int]] = []
        for stretch, found in self._stretches(text):
            stretches.append(stretch)
            if isinstance(found, int):
                pieces.append(stretch)
                tokens.append((stretch, found))
            else:
                pieces += found
                tokens += chain.from_iterable(map(self.model, found))
        return stretches, pieces, tokens

    @cached_property
    def _plain_memory(self) -> RunMemory:
        """The memory for texts in which no added token may be found."""
        hidden = {token.content for token in self.added_tokens.values()}
        return _remembering(model(self._content["model"], self._model_vocab, hidden))


def _remembering(tokenize: Tokenize) -> RunMemory:
    return RunMemory(lambda piece: tuple(token_id for _, token_id in tokenize(piece)))
