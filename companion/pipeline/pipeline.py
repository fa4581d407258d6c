"""The stages of a tokenizer, put together."""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from companion._checks import as_id, describe, require_text
from companion._runs import RunMemory
from companion._unicode import valid_unicode
from companion.pipeline.added_tokens import added_tokens, finder
from companion.pipeline.decoders import decoder
from companion.pipeline.models import Tokenize, model, vocab_of
from companion.pipeline.normalizers import normalizer
from companion.pipeline.parts import field
from companion.pipeline.post_processors import post_processor
from companion.pipeline.pre_tokenizers import pre_tokenizer, pre_tokens
from companion.pipeline.reading import read
from companion.wordpiece import PairEncoding


class Stages(NamedTuple):
    """What each stage of a `Pipeline` makes of a text; an added token in it passes as it is.

    `normalized` has the stretches of the normalized text between added tokens, `pre_tokens` the
    pieces that the model gets, `tokens` what it makes of them, and `ids` the ids of these with
    those that the post-processor puts around them.
    """

    normalized: list[str]
    pre_tokens: list[str]
    tokens: list[str]
    ids: list[int]


class Pipeline:
    """The tokenizer of a model, as its `tokenizer.json` describes it.

    `Pipeline.from_file` reads the file, or a folder.

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

    Notes
    -----
    Ids, tokens, segments and decoded texts are those of the package `tokenizers` 0.23 without
    padding and truncation: what a file saves of these is not applied. A lone surrogate is read as
    U+FFFD. What is not supported is a `ValueError` that names it, when the file is read: the
    normalizers, pre-tokenizers, models, post-processors and decoders that are not in the table
    below, patterns that `companion.patterns` does not read, dropout, added tokens whose id is not
    the one that `tokenizers` gives them, ids or tokens given twice, and merges of what is no token.

    Characters that are newer than the Unicode of the running Python may be normalized or
    lower-cased otherwise, and so may graphemes of emoji or Indic conjuncts before `Precompiled`.

    Examples
    --------
    >>> from companion.pipeline import Pipeline
    >>> vocab = {"[UNK]": 0, "hug": 1, "##s": 2, "<end>": 3}
    >>> tokenizer = Pipeline(
    ...     {
    ...         "normalizer": {"type": "Lowercase"},
    ...         "pre_tokenizer": {"type": "WhitespaceSplit"},
    ...         "model": {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"},
    ...         "decoder": {"type": "WordPiece"},
    ...     }
    ... )
    >>> tokenizer.encode("Hugs hug you")
    [1, 2, 1, 0]
    >>> tokenizer.decode([1, 2, 1, 0])
    'hugs hug [UNK]'
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content
        self._model_vocab = vocab_of(field(content, "model", dict))
        self._tokenize = model(content["model"], self._model_vocab)
        self._normalize = normalizer(content.get("normalizer"))
        self._steps = pre_tokenizer(content.get("pre_tokenizer"))
        self._layout = post_processor(content.get("post_processor"))
        self._decode = decoder(content.get("decoder"))
        added = added_tokens(field(content, "added_tokens", list, []), self._model_vocab)
        self.added_tokens = added
        self.vocab = self._model_vocab | {token.content: i for i, token in added.items()}
        self._tokens = {token_id: token for token, token_id in self.vocab.items()}
        # The library `tokenizers` decodes a token that is found in the normalized text as that.
        self._tokens |= {i: self._normalize(t.content) for i, t in added.items() if t.normalized}
        self.n_vocab = max(self._tokens, default=-1) + 1
        self._find_raw = finder(
            {i: token for i, token in added.items() if not token.normalized}, lambda text: text
        )
        self._find_normalized = finder(
            {i: token for i, token in added.items() if token.normalized}, self._normalize
        )
        self._memory = _remembering(self._tokenize)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "Pipeline":
        r"""Read a `tokenizer.json`, or a folder with one, or with the older files.

        A folder without `tokenizer.json` may have a `vocab.json` and a `merges.txt`, which are read
        with GPT-2's stages, or a `vocab.txt`, which is read with BERT's. A `tokenizer_config.json`
        beside them says what these do not: `add_prefix_space`, the added tokens, and
        `do_lower_case`, `strip_accents`, `tokenize_chinese_chars`. Without it BERT's stages lower
        the case.

        Any other file is a `ValueError`, which says what the file is and what to do.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "vocab.txt")
        ...     _ = path.write_text("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n", encoding="utf-8")
        ...     Pipeline.from_file(folder).encode("Hugs")
        [1, 3, 4, 2]
        """
        content, file = read(path)
        try:
            return cls(content)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_vocab={self.n_vocab}, {len(self.added_tokens)} added tokens)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy for another process is made anew: what encoding has remembered stays here.
        return type(self), (self._content,)

    def encode(
        self, text: str, *, add_special_tokens: bool = True, split_added_tokens: bool = False
    ) -> list[int]:
        """Turn a text into ids.

        Parameters
        ----------
        add_special_tokens : bool, optional
            Let the post-processor put its special tokens around the text.
        split_added_tokens : bool, optional
            Read the text of an added token as plain text, so that a text from outside cannot forge
            one: no id of an added token is found in it, but that of the unknown token. (The option
            of `tokenizers` with this purpose, ``encode_special_tokens``, leaves out tokens that are
            not marked as special, and what the model finds again.)

        Examples
        --------
        >>> end = {"content": "<end>", "id": 3, "special": True, "normalized": False}
        >>> end |= {"lstrip": False, "rstrip": False, "single_word": False}
        >>> vocab = {"a": 0, "<": 1, "<unk>": 2, "<end>": 3}
        >>> model = {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": "<unk>"}
        >>> tokenizer = Pipeline({"added_tokens": [end], "model": model | {"fuse_unk": True}})
        >>> tokenizer.encode("a<end>"), tokenizer.encode("a<end>", split_added_tokens=True)
        ([0, 3], [0, 1, 2])
        """
        memory = self._plain_memory if split_added_tokens else self._memory
        ids: list[int] = []
        for begins, stretch, token_id in self._stretches(text, split_added_tokens):
            if token_id is None:
                ids += memory.ids_of(pre_tokens(self._steps, stretch, begins))
            else:
                ids.append(token_id)
        laid_out: list[int] = []
        for item in self._layout.single:
            if item.text or add_special_tokens:
                laid_out += ids if item.text else [token_id for _, token_id in item.specials]
        return laid_out

    def encode_pair(self, first: str, second: str | None = None) -> PairEncoding:
        """Turn one text or two into ids, segments and tokens, with the special tokens.

        The token of an unknown character is the name of the unknown token, or in Unigram the
        character itself; the token of an added token is the text that it took.

        Examples
        --------
        >>> vocab = {"[UNK]": 0, "I": 1, "like": 2, "cats": 3}
        >>> model = {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
        >>> tokenizer = Pipeline({"pre_tokenizer": {"type": "Whitespace"}, "model": model})
        >>> tokenizer.encode_pair("I like", "dogs")
        PairEncoding(ids=[1, 2, 0], segment_ids=[0, 0, 1], tokens=['I', 'like', '[UNK]'])
        """
        texts = [first] if second is None else [first, second]
        return self._layout.filled(*(self._traced(text)[2] for text in texts))

    def stages(self, text: str) -> Stages:
        """Return what each stage makes of a text.

        Examples
        --------
        >>> vocab = {"<unk>": 0, "▁a": 1, "b": 2}
        >>> model = {"type": "BPE", "vocab": vocab, "merges": [], "unk_token": "<unk>"}
        >>> normalizer, metaspace = {"type": "Lowercase"}, {"type": "Metaspace"}
        >>> tokenizer = Pipeline(
        ...     {"normalizer": normalizer, "pre_tokenizer": metaspace, "model": model}
        ... )
        >>> tokenizer.stages("B b").pre_tokens
        ['▁b', '▁b']
        """
        normalized, pieces, tokens = self._traced(text)
        ids = self._layout.filled(tokens).ids
        return Stages(normalized, pieces, [token for token, _ in tokens], ids)

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        """Turn ids into a text, as the file's decoder joins tokens.

        An id that no token has is left out, and with `skip_special_tokens` each added token that
        is marked as special.
        """
        if isinstance(ids, str | bytes):  # bytes would be taken for their numbers
            raise TypeError(f"ids must be an iterable of integers, not {describe(ids)}")
        tokens = [self._tokens.get(as_id(value, "an id")) for value in ids]
        hidden = {
            t.content for t in self.added_tokens.values() if t.special and skip_special_tokens
        }
        return "".join(self._decode([t for t in tokens if t is not None and t not in hidden]))

    def _stretches(
        self, text: str, split_added_tokens: bool = False
    ) -> Iterator[tuple[bool, str, int | None]]:
        """Cut a text into added tokens with their ids, and normalized stretches between them.

        Of each stretch is told whether it begins the text.
        """
        require_text(text, "text")
        text = valid_unicode(text)
        for start, raw, raw_id in [(0, text, None)] if split_added_tokens else self._find_raw(text):
            if raw_id is not None:
                yield False, raw, raw_id
                continue
            # Where the first character is lost, what follows does not count as the beginning.
            begins = start == 0 and self._normalize(raw[:1] + "a") != self._normalize("a")
            stretch = self._normalize(raw)
            if split_added_tokens and stretch:
                yield begins, stretch, None
            elif not split_added_tokens:
                for inner, part, token_id in self._find_normalized(stretch):
                    yield begins and inner == 0, part, token_id

    def _traced(self, text: str) -> tuple[list[str], list[str], list[tuple[str, int]]]:
        """Return the stretches, the pre-tokens, and the tokens with their ids."""
        stretches: list[str] = []
        pieces: list[str] = []
        tokens: list[tuple[str, int]] = []
        for begins, stretch, token_id in self._stretches(text):
            stretches.append(stretch)
            if token_id is not None:
                pieces.append(stretch)
                tokens.append((stretch, token_id))
                continue
            found = pre_tokens(self._steps, stretch, begins)
            pieces += found
            tokens += chain.from_iterable(map(self._tokenize, found))
        return stretches, pieces, tokens

    @cached_property
    def _plain_memory(self) -> RunMemory:
        """The memory for texts in which no added token may be found."""
        hidden = {token.content for token in self.added_tokens.values()}
        return _remembering(model(self._content["model"], self._model_vocab, hidden))


def _remembering(tokenize: Tokenize) -> RunMemory:
    return RunMemory(lambda piece: tuple(token_id for _, token_id in tokenize(piece)))
