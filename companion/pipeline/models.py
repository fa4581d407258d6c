"""Models: a pre-token becomes tokens, each with its id."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from companion._checks import checked_vocab, shortened
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merging import merged
from companion.pipeline.parts import Part, field, made
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
        pairs = ((piece, i) for i, (piece, _) in enumerate(_scored(part)))
    else:
        pairs = field(part, "vocab", dict).items()
    try:
        return checked_vocab(pairs)[0]
    except TypeError as error:
        raise ValueError(str(error)) from None


def model(part: Part, vocab: Vocab, hidden: Collection[str] = ()) -> Tokenize:
    """Return the function of a file's model, which does not find the tokens of `hidden`."""
    if "type" not in part:  # an older file
        is_listed, is_marked = isinstance(part["vocab"], list), "continuing_subword_prefix" in part
        kind = "Unigram" if is_listed else "WordPiece" if is_marked else "WordLevel"
        part = {**part, "type": "BPE" if "merges" in part else kind}
    known = {t: i for t, i in vocab.items() if t not in hidden} if hidden else vocab
    makers = {kind: partial(make, vocab=vocab, known=known) for kind, make in _MAKERS.items()}
    return made("model", part, makers)


def _bpe(part: Part, vocab: Vocab, known: Vocab) -> Tokenize:
    if part.get("dropout"):
        raise ValueError(f"'dropout' is {part['dropout']}, so ids are random; set it to null")
    prefix = field(part, "continuing_subword_prefix", str, "")
    suffix = field(part, "end_of_word_suffix", str, "")
    fuses, takes_whole, takes_bytes = (
        field(part, name, bool, False) for name in ("fuse_unk", "ignore_merges", "byte_fallback")
    )
    unk_id = -1
    # Where each byte has its sign, no text is unknown, and a file may name what is no token.
    unk_token, has_signs = part.get("unk_token"), vocab.keys() >= {*BYTE_TO_UNICODE.values()}
    if unk_token is not None and (unk_token in vocab or not has_signs):
        _, unk_id = _unknown(part, vocab)
    tokens = {token_id: token for token, token_id in vocab.items()}
    byte_ids = [known.get(name, -1) for name in BYTE_PIECES] if takes_bytes else [-1] * 256

    ranks: dict[tuple[int, int], int] = {}
    results: list[int] = []
    for rank, (left, right) in enumerate(merges_of(part)):
        token = left + right[len(prefix) :]
        try:
            pair = vocab[left], vocab[right]
            results.append(vocab[token])
        except KeyError as error:
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, but {error} is no token; "
                "vocabulary and merges come from different models, or one was edited"
            ) from None
        if token in known:
            ranks[pair] = rank

    def symbols_of(word: str) -> Iterator[int]:
        waiting = False  # an unknown token, which may take the next characters too
        for i, character in enumerate(word, 1):
            piece = (prefix if i > 1 else "") + character + (suffix if i == len(word) else "")
            found = [known[piece]] if piece in known else [byte_ids[b] for b in piece.encode()]
            is_unknown = -1 in found
            if waiting and (piece in known or (is_unknown and not fuses)):
                yield unk_id
                waiting = False
            if not is_unknown:
                yield from found
            waiting = waiting or (is_unknown and unk_id >= 0)
        if waiting:
            yield unk_id

    def tokenize(word: str) -> list[tuple[str, int]]:
        if takes_whole and word in known:
            return [(word, known[word])]
        return [(tokens[i], i) for i in merged(list(symbols_of(word)), ranks, results)]

    return tokenize


def merges_of(part: Part) -> Iterator[tuple[str, str]]:
    """Yield the merges of a BPE model, which are strings or pairs of them."""
    for rank, merge in enumerate(field(part, "merges", list)):
        match merge.split(" ") if isinstance(merge, str) else merge:
            case [str(left), str(right)]:
                yield left, right
            case other:
                raise ValueError(f"merge {rank} is {shortened(other)}; it must be two tokens")


def _wordpiece(part: Part, vocab: Vocab, known: Vocab) -> Tokenize:
    prefix = field(part, "continuing_subword_prefix", str, "##")
    limit = field(part, "max_input_chars_per_word", int, 100)
    unknown = _unknown(part, vocab)
    tokens = {token_id: token for token, token_id in vocab.items()}

    def tokenize(word: str) -> list[tuple[str, int]]:
        ids = longest_match(word, known, prefix=prefix, max_chars=limit)
        return [unknown] if ids is None else [(tokens[token_id], token_id) for token_id in ids]

    return tokenize


def _word_level(part: Part, vocab: Vocab, known: Vocab) -> Tokenize:
    unknown = _unknown(part, vocab)
    return lambda word: [(word, known[word]) if word in known else unknown]


def _unigram(part: Part, vocab: Vocab, known: Vocab) -> Tokenize:
    takes_bytes = field(part, "byte_fallback", bool, False)
    unk_id = field(part, "unk_id", int, -1)
    if not 0 <= unk_id < len(vocab):
        raise ValueError(f"'unk_id' is {part.get('unk_id')}; unknown characters need one")
    scores = [score for _, score in _scored(part)]
    # An unknown character has an id of its own, because the piece of `unk_id` has another score.
    no_piece = len(scores)
    scores.append(min(scores) - UNKNOWN_PENALTY)
    # Each beginning of a piece has a place in the table.
    if (size := sum(len(piece) ** 2 for piece in known)) > _MOST_BEGINNINGS:
        raise ValueError(
            f"its pieces are too long: squared and added up {size:,} characters, of at "
            f"most {_MOST_BEGINNINGS:,}; leave out those that no text has"
        )
    table = table_of(known)

    def tokenize(word: str) -> list[tuple[str, int]]:
        pieces: list[str] = []
        follows = False
        for start, end, token_id in best_cut([*edges_of(word, table, no_piece)], scores):
            is_unknown = token_id in (no_piece, unk_id)
            if is_unknown and follows:
                pieces[-1] += word[start:end]
            else:
                pieces.append(word[start:end])
            follows = is_unknown
        return [pair for piece in pieces for pair in pairs_of(piece)]

    def pairs_of(piece: str) -> list[tuple[str, int]]:
        names = [BYTE_PIECES[byte] for byte in piece.encode()]
        if piece not in known and takes_bytes and all(name in known for name in names):
            return [(name, known[name]) for name in names]
        return [(piece, known.get(piece, unk_id))]

    return tokenize


def _scored(part: Part) -> Iterator[tuple[str, float]]:
    for entry in field(part, "vocab", list):
        match entry:
            case [str(piece), float() | int() as score] if math.isfinite(score):
                yield piece, float(score)
            case _:
                raise ValueError(f"{shortened(entry)} in 'vocab' is no piece with a score")


def _unknown(part: Part, vocab: Vocab) -> tuple[str, int]:
    """Return the token for what is unknown, and its id."""
    token = field(part, "unk_token", str)
    if token not in vocab:
        raise ValueError(f"'unk_token' is {token!r}, which the vocabulary lacks; add it")
    return token, vocab[token]


_MAKERS = {"BPE": _bpe, "WordPiece": _wordpiece, "Unigram": _unigram, "WordLevel": _word_level}
