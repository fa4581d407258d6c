"""Models: a pre-token becomes tokens, each with its id."""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merges_file import pair_of
from companion.bpe.merging import merged
from companion.checks import shortened
from companion.unigram.cutting import best_cut, edges_of, table_of
from companion.unigram.unknown import BYTE_PIECES, UNKNOWN_PENALTY
from companion.wordpiece import longest_match
from inspector.parts import Kinds, Part, Stage, Tokens, made

Vocab: TypeAlias = dict[str, int]
Tokenize: TypeAlias = Callable[[str], Tokens]

_MOST_BEGINNINGS = 100_000_000  # squared lengths; 250,000 pieces of a published model: 15 million


def model(part: Part, vocab: Vocab, hidden: Collection[str] = ()) -> Stage:
    """Return the model of a file, which does not find the tokens of `hidden`."""
    # It is made with the `ids` of all tokens, and in `known` those that it may find.
    kind = part.get("type")
    if "type" not in part:  # an older file
        is_listed, is_marked = isinstance(part["vocab"], list), "continuing_subword_prefix" in part
        kind = "Unigram" if is_listed else "WordPiece" if is_marked else "WordLevel"
        kind = "BPE" if "merges" in part else kind
    known = {t: i for t, i in vocab.items() if t not in hidden} if hidden else vocab
    return made("model", {**part, "type": kind}, _KINDS, ids=vocab, known=known)


@dataclass(repr=False)
class BPE:
    """A pre-token is cut into characters, and neighbours merge, those of the lowest rank first."""

    ids: Vocab
    known: Vocab
    merges: list[Any]
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
        is_needless = self.unk_token is None or (has_signs and self.unk_token not in self.ids)
        self._unknown = [] if is_needless else [_unknown(self.unk_token, self.ids)[1]]
        # The rank of each pair of ids that merges, and the id of what each rank makes.
        self._ranks: dict[tuple[int, int], int] = {}
        self._results: list[int] = []
        results = results_of(self.merges, self.continuing_subword_prefix)
        for rank, (left, right, token) in enumerate(results):
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

    def __call__(self, word: str) -> Tokens:
        # A file may want a whole pre-token taken first, whatever the merges make of it.
        if self.ignore_merges and word in self.known:
            return [(word, self.known[word])]
        ids = merged(self._symbols(word), self._ranks, self._results)
        return [(self._tokens[token_id], token_id) for token_id in ids]

    def _symbols(self, word: str) -> list[int]:
        # Return the id of each character, of its bytes, or of what stands for the unknown.
        symbols: list[int] = []
        waiting: list[int] = []  # an unknown token, which may take the next characters too
        for i, character in enumerate(word, 1):
            # 1. Inside a word a character may have a prefix, and at its end a suffix.
            piece = (self.continuing_subword_prefix if i > 1 else "") + character
            piece += self.end_of_word_suffix if i == len(word) else ""
            # 2. It is a token, or else its bytes may be, if the file falls back to them.
            if piece in self.known:
                symbols += [*waiting, self.known[piece]]
                waiting = []
            elif self.byte_fallback and (found := _as_bytes(piece, self.known)):
                symbols += [token_id for _, token_id in found]
            # 3. If neither, it is unknown: one token with its neighbours, or each its own.
            else:
                symbols += [] if self.fuse_unk else waiting
                waiting = self._unknown
        return symbols + waiting


def results_of(merges: list[Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    """Yield the two tokens of each merge, a string or a pair, and what it makes of them."""
    for rank, merge in enumerate(merges):
        if (pair := pair_of(merge)) is None:
            raise ValueError(f"merge {rank} is {shortened(merge)}; it must be two tokens")
        yield *pair, pair[0] + pair[1][len(prefix) :]


def _word_piece(
    ids: Vocab,
    known: Vocab,
    unk_token: str,
    continuing_subword_prefix: str = "##",
    max_input_chars_per_word: int = 100,
) -> Tokenize:
    # Read a pre-token from its beginning, and take the longest token that fits each time.
    unknown, tokens = _unknown(unk_token, ids), {token_id: token for token, token_id in ids.items()}
    prefix, limit = continuing_subword_prefix, max_input_chars_per_word

    def tokenize(word: str) -> Tokens:
        found = longest_match(word, known, prefix=prefix, max_chars=limit)
        return [unknown] if found is None else [(tokens[i], i) for i in found]

    return tokenize


def _word_level(ids: Vocab, known: Vocab, unk_token: str) -> Tokenize:
    # Take a pre-token for a token, or for unknown.
    unknown = _unknown(unk_token, ids)
    return lambda word: [(word, known[word]) if word in known else unknown]


def _unigram(
    known: Vocab, vocab: list[Any], unk_id: int | None = None, byte_fallback: bool = False
) -> Tokenize:
    # Of all ways to cut a pre-token into pieces, take the one with the largest sum of scores.
    if unk_id is None or not 0 <= unk_id < len(vocab):
        said = "missing, or null" if unk_id is None else unk_id
        raise ValueError(f"'unk_id' is {said}; unknown characters need one")
    # An unknown character has an id of its own, because the piece of `unk_id` has another score.
    scores = [score for _, score in scored(vocab)]
    no_piece = len(scores)
    scores.append(min(scores) - UNKNOWN_PENALTY)
    # Each beginning of a piece has a place in the table.
    if (size := sum(len(piece) ** 2 for piece in known)) > _MOST_BEGINNINGS:
        raise ValueError(
            f"its pieces are too long: squared and added up {size:,} characters, of at most "
            f"{_MOST_BEGINNINGS:,}; leave out those that no text has"
        )
    table = table_of(known)

    def tokenize(word: str) -> Tokens:
        # 1. Take the best cut, in which unknown characters are edges of their own.
        cut = best_cut(edges_of(word, table, no_piece), scores)
        found: Tokens = []
        for is_unknown, run in groupby(cut, lambda edge: edge[2] in (no_piece, unk_id)):
            # 2. Neighbours that are unknown are one piece.
            pieces = [word[start:end] for start, end, _ in run]
            for piece in ["".join(pieces)] if is_unknown else pieces:
                # 3. Look it up; an unknown one may fall back to its bytes.
                in_bytes = _as_bytes(piece, known) if byte_fallback and piece not in known else []
                found += in_bytes or [(piece, known.get(piece, unk_id))]
        return found

    return tokenize


def _as_bytes(piece: str, known: Vocab) -> Tokens:
    # Return the tokens of the bytes of a text, or none if one of them is no token.
    names = [BYTE_PIECES[byte] for byte in piece.encode()]
    return [(name, known[name]) for name in names] if known.keys() >= {*names} else []


def scored(vocab: list[Any]) -> Iterator[tuple[str, float]]:
    """Yield the pieces of a Unigram with their scores."""
    for entry in vocab:
        match entry:
            case [str(piece), float() | int() as score] if math.isfinite(score):
                yield piece, float(score)
            case _:
                raise ValueError(f"{shortened(entry)} in 'vocab' is no piece with a score")


def _unknown(token: str | None, ids: Vocab) -> tuple[str, int]:
    # Return the token for what is unknown, and its id.
    if token is None or token not in ids:
        raise ValueError(f"'unk_token' is {token!r}, which the vocabulary lacks; add it")
    return token, ids[token]


_KINDS: Kinds = {
    "BPE": BPE, "WordPiece": _word_piece, "Unigram": _unigram, "WordLevel": _word_level,
}  # fmt: skip
