"""Models: a pre-token becomes tokens, each with its id."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from companion._checks import checked_vocab, shortened
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merges_file import pair_of
from companion.bpe.merging import merged
from companion.pipeline import parts
from companion.pipeline.parts import Part, made
from companion.unigram.cutting import best_cut, edges_of, table_of
from companion.unigram.unknown import BYTE_PIECES, UNKNOWN_PENALTY
from companion.wordpiece import longest_match

Vocab: TypeAlias = dict[str, int]
Tokenize: TypeAlias = Callable[[str], list[tuple[str, int]]]

_MOST_BEGINNINGS = 100_000_000  # squared lengths; 250,000 pieces of a published model: 15 million


def vocab_of(part: Part) -> Vocab:
    """Return the id of each token of a model; Unigram's are numbered in order."""
    pairs: Iterable[tuple[str, Any]]
    if isinstance(part.get("vocab"), list):
        pairs = ((piece, i) for i, (piece, _) in enumerate(scored(part["vocab"])))
    else:
        pairs = parts.field(part, "vocab", dict).items()
    try:
        return checked_vocab(pairs)[0]
    except TypeError as error:
        raise ValueError(str(error)) from None


def model(part: Part, vocab: Vocab, hidden: Collection[str] = ()) -> Tokenize:
    """Return the model of a file, which does not find the tokens of `hidden`."""
    kind = part.get("type")
    if "type" not in part:  # an older file
        is_listed, is_marked = isinstance(part["vocab"], list), "continuing_subword_prefix" in part
        kind = "Unigram" if is_listed else "WordPiece" if is_marked else "WordLevel"
        kind = "BPE" if "merges" in part else kind
    known = {t: i for t, i in vocab.items() if t not in hidden} if hidden else vocab
    found: Tokenize = made("model", {**part, "type": kind, "known": known, "ids": vocab}, _KINDS)
    return found


@dataclass
class BPE:
    """A pre-token is cut into characters, and neighbours merge, those of the lowest rank first.

    `ids` has the id of each token, and `known` the same without those that must not be found.
    """

    ids: Vocab = field(repr=False)
    known: Vocab = field(repr=False)
    merges: list[Any] = field(repr=False)
    unk_token: str | None = None
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False

    def __post_init__(self) -> None:
        self._tokens = {token_id: token for token, token_id in self.ids.items()}
        # Where each byte has its sign, no text is unknown, and a file may name what is no token.
        has_signs = self.ids.keys() >= {*BYTE_TO_UNICODE.values()}
        is_needed = self.unk_token is not None and not (
            has_signs and self.unk_token not in self.ids
        )
        self._unk_id = _unknown(self.unk_token, self.ids)[1] if is_needed else -1
        # The rank of each pair of ids that merges, and the id of what each rank makes.
        self._ranks: dict[tuple[int, int], int] = {}
        self._results: list[int] = []
        for rank, (left, right) in enumerate(merges_of(self.merges)):
            token = left + right[len(self.continuing_subword_prefix) :]
            try:
                pair = self.ids[left], self.ids[right]
                self._results.append(self.ids[token])
            except KeyError as error:
                raise ValueError(
                    f"merge {rank} joins {left!r} and {right!r}, but {error} is no token; "
                    "vocabulary and merges come from different models, or one was edited"
                ) from None
            # A token that must not be found is not made of its parts either.
            if token in self.known:
                self._ranks[pair] = rank

    def __call__(self, word: str) -> list[tuple[str, int]]:
        # A file may want a whole pre-token taken first, whatever the merges make of it.
        if self.ignore_merges and word in self.known:
            return [(word, self.known[word])]
        ids = merged(list(self._symbols(word)), self._ranks, self._results)
        return [(self._tokens[token_id], token_id) for token_id in ids]

    def _symbols(self, word: str) -> Iterator[int]:
        """Yield the id of each character, of its bytes, or of what stands for the unknown."""
        waiting = False  # an unknown token, which may take the next characters too
        for i, character in enumerate(word, 1):
            # 1. Inside a word a character may have a prefix, and at its end a suffix.
            piece = (self.continuing_subword_prefix if i > 1 else "") + character
            piece += self.end_of_word_suffix if i == len(word) else ""
            # 2. It is a token, or else its bytes may be, if the file falls back to them.
            found = [self.known[piece]] if piece in self.known else self._bytes_of(piece)
            # 3. An unknown one is over where something known follows, or where each counts.
            if waiting and (piece in self.known or (not found and not self.fuse_unk)):
                yield self._unk_id
                waiting = False
            yield from found
            waiting = waiting or (not found and self._unk_id >= 0)
        if waiting:
            yield self._unk_id

    def _bytes_of(self, piece: str) -> list[int]:
        """Return the ids of the bytes of a character, or none if one of them is no token."""
        ids = [self.known.get(BYTE_PIECES[byte], -1) for byte in piece.encode()]
        return ids if self.byte_fallback and -1 not in ids else []


def merges_of(merges: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the merges of a file, which are strings or pairs of them."""
    for rank, merge in enumerate(merges):
        if (pair := pair_of(merge)) is None:
            raise ValueError(f"merge {rank} is {shortened(merge)}; it must be two tokens")
        yield pair


# A pre-token is read from its beginning, and the longest token that fits is taken each time.
@dataclass
class WordPiece:
    ids: Vocab = field(repr=False)
    known: Vocab = field(repr=False)
    unk_token: str
    continuing_subword_prefix: str = "##"
    max_input_chars_per_word: int = 100

    def __post_init__(self) -> None:
        self._unknown = _unknown(self.unk_token, self.ids)
        self._tokens = {token_id: token for token, token_id in self.ids.items()}

    def __call__(self, word: str) -> list[tuple[str, int]]:
        prefix, limit = self.continuing_subword_prefix, self.max_input_chars_per_word
        found = longest_match(word, self.known, prefix=prefix, max_chars=limit)
        return [self._unknown] if found is None else [(self._tokens[i], i) for i in found]


# A pre-token is a token, or unknown.
@dataclass
class WordLevel:
    ids: Vocab = field(repr=False)
    known: Vocab = field(repr=False)
    unk_token: str

    def __post_init__(self) -> None:
        self._unknown = _unknown(self.unk_token, self.ids)

    def __call__(self, word: str) -> list[tuple[str, int]]:
        return [(word, self.known[word]) if word in self.known else self._unknown]


# Of all ways to cut a pre-token into pieces, the one with the largest sum of scores.
@dataclass
class Unigram:
    vocab: list[Any] = field(repr=False)
    known: Vocab = field(repr=False)
    unk_id: int = -1
    byte_fallback: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.unk_id < len(self.vocab):
            raise ValueError(f"'unk_id' is {self.unk_id}; unknown characters need one")
        # An unknown character has an id of its own, because the piece of `unk_id` has another
        # score.
        scores = [score for _, score in scored(self.vocab)]
        self._no_piece = len(scores)
        self._scores = [*scores, min(scores) - UNKNOWN_PENALTY]
        # Each beginning of a piece has a place in the table.
        if (size := sum(len(piece) ** 2 for piece in self.known)) > _MOST_BEGINNINGS:
            raise ValueError(
                f"its pieces are too long: squared and added up {size:,} characters, of at "
                f"most {_MOST_BEGINNINGS:,}; leave out those that no text has"
            )
        self._table = table_of(self.known)

    def __call__(self, word: str) -> list[tuple[str, int]]:
        pieces: list[str] = []
        follows = False
        # 1. Take the best cut, in which unknown characters are edges of their own.
        edges = [*edges_of(word, self._table, self._no_piece)]
        for start, end, token_id in best_cut(edges, self._scores):
            # 2. Neighbours that are unknown are one piece.
            is_unknown = token_id in (self._no_piece, self.unk_id)
            if is_unknown and follows:
                pieces[-1] += word[start:end]
            else:
                pieces.append(word[start:end])
            follows = is_unknown
        # 3. Look up each piece; an unknown one may fall back to its bytes.
        return [pair for piece in pieces for pair in self._pairs(piece)]

    def _pairs(self, piece: str) -> list[tuple[str, int]]:
        names = [BYTE_PIECES[byte] for byte in piece.encode()]
        is_known = piece in self.known
        if not is_known and self.byte_fallback and all(name in self.known for name in names):
            return [(name, self.known[name]) for name in names]
        return [(piece, self.known.get(piece, self.unk_id))]


def scored(vocab: list[Any]) -> Iterator[tuple[str, float]]:
    """Yield the pieces of a Unigram with their scores."""
    for entry in vocab:
        match entry:
            case [str(piece), float() | int() as score] if math.isfinite(score):
                yield piece, float(score)
            case _:
                raise ValueError(f"{shortened(entry)} in 'vocab' is no piece with a score")


def _unknown(token: str | None, ids: Vocab) -> tuple[str, int]:
    """Return the token for what is unknown, and its id."""
    if token is None or token not in ids:
        raise ValueError(f"'unk_token' is {token!r}, which the vocabulary lacks; add it")
    return token, ids[token]


_KINDS = {kind.__name__: kind for kind in (BPE, WordPiece, Unigram, WordLevel)}
