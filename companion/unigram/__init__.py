"""The Unigram model, as SentencePiece runs it (chapter `unigram`).

Each piece of the vocabulary has a probability. Of all ways to cut a text into pieces the tokenizer
takes the one whose probabilities have the largest product. Learning goes from many pieces to few:
estimate the probabilities, drop what matters least, repeat (Kudo 2018, Subword regularization).
"""

import math
import random
import re
from collections.abc import Iterable, Sequence

from companion import checks
from companion.files import kinds
from companion.runs import RunMemory, count_words
from companion.unigram.cutting import SPACE, Edge, best_cut, edges_of, random_cut, spelled, table_of
from companion.unigram.learning import learn_pieces, words_of
from companion.unigram.unknown import BYTE_PIECES, UNKNOWN_PENALTY

__all__ = ["UnigramTokenizer", "train_unigram"]

_SPECIAL_TOKENS = ("<s>", "</s>", "<pad>")
# A run is a word with the spaces before it: the work on a common one is done once.
_RUN = re.compile(f"{SPACE}+[^{SPACE}]*")
_NO_UTF8 = re.compile("[\udc80-\udcff]")  # a byte that is not, as "surrogateescape" writes it
_SEEDS = 20  # pieces to begin learning with, for each that stays


class UnigramTokenizer:
    """Cut text into its most probable sequence of pieces, encode them as ids, and decode ids.

    A space is written ``▁`` (U+2581), and one is put in front of the text; nothing else is
    normalized. Of equally probable cuts, that whose last differing piece starts earlier wins.

    Parameters
    ----------
    pieces : sequence of (str, float)
        Each piece with its natural log probability, at most 0, in the order of the ids: as
        `id_to_piece` and `get_score` of the package `sentencepiece` give them. A `ValueError`
        refuses 0, -1, -2 and so on: the ranks of a BPE model.
    unk_token : str, optional
        The piece for characters that no other piece holds.
    byte_fallback : bool, optional
        Give the UTF-8 bytes of an unknown character instead, as pieces ``<0x00>`` to ``<0xFF>``.
    special_tokens : sequence of str, optional
        All pieces that are never found in a text; by default `unk_token`, ``<s>``, ``</s>``,
        ``<pad>`` and ``<0x00>`` to ``<0xFF>``.

    Examples
    --------
    >>> tokenizer = UnigramTokenizer([("<unk>", 0.0), ("▁", -2.0), ("a", -1.0), ("▁a", -2.5)])
    >>> tokenizer.tokenize("aa b"), tokenizer.encode("aa b")
    (['▁a', 'a', '▁', '<unk>'], [3, 2, 1, 0])
    >>> tokenizer.decode([3, 2, 1, 0])
    'aa <unk>'
    """

    def __init__(
        self,
        pieces: Sequence[tuple[str, float]],
        *,
        unk_token: str = "<unk>",
        byte_fallback: bool = False,
        special_tokens: Sequence[str] | None = None,
    ) -> None:
        # The place of a piece in the list is its id.
        self.pieces = [_checked_piece(pair) for pair in pieces]
        numbered = ((piece, i) for i, (piece, _) in enumerate(self.pieces))
        self.vocab, self._names = checks.checked_vocab(numbered)
        self.n_vocab = len(self.pieces)
        # Special tokens, the unknown one and those of bytes are never found in a text.
        if special_tokens is None:
            usual = (*_SPECIAL_TOKENS, *BYTE_PIECES)
            special_tokens = [piece for piece in usual if piece in self.vocab]
        hidden = {unk_token, *checks.checked_specials(special_tokens, "special_tokens")}
        hidden |= set(BYTE_PIECES) if byte_fallback else set()
        if missing := sorted(hidden - set(self.vocab)):
            raise ValueError(f"{missing[0]!r} is not among the {len(self.pieces)} pieces; add it")
        found = {piece: i for piece, i in self.vocab.items() if piece not in hidden}
        self._table = table_of(found)
        # An unknown character costs more than the rarest piece.
        self._scores = [score for _, score in self.pieces]
        scores_of_found = [self._scores[i] for i in found.values()]
        _require_log_probabilities(scores_of_found)
        self._unk_id = self.vocab[unk_token]
        self._scores[self._unk_id] = min(scores_of_found, default=0.0) - UNKNOWN_PENALTY
        # If a space can only begin a piece, each word with the spaces before it is cut by itself.
        self._is_cut_at_spaces = SPACE in found and not any(
            re.search(f"[^{SPACE}]{SPACE}", piece) for piece in found
        )
        self._memory = RunMemory(self._encode_run)
        self._byte_ids = [self.vocab[name] for name in BYTE_PIECES] if byte_fallback else None
        self._bytes = {piece: piece.replace(SPACE, " ").encode() for piece in self.vocab}
        if byte_fallback:
            self._bytes |= {name: bytes([byte]) for byte, name in enumerate(BYTE_PIECES)}

    def __repr__(self) -> str:
        fallback = self._byte_ids is not None
        return f"{type(self).__name__}(n_vocab={self.n_vocab}, byte_fallback={fallback})"

    def encode(self, text: str) -> list[int]:
        """Turn a text into the ids of its best cut; a lone surrogate is read as U+FFFD."""
        # Each run is cut by itself, and the ids of one that came before are remembered.
        return self._memory.ids_of(self._runs(text))

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into its most probable sequence of pieces, with ``▁`` for a space."""
        return [self.pieces[token_id][0] for token_id in self.encode(text)]

    def sample(self, text: str, *, temperature: float = 1.0, seed: int | None = None) -> list[str]:
        """Cut a text at random, each cut with its share of the probability.

        This is the sampling of subword regularization (Kudo 2018, section 3.1). The `temperature`,
        above 0 and the inverse of α there, divides the log probabilities: near 0 nearly always the
        best cut is drawn, with large values all cuts become equally likely.

        >>> pieces = [("<unk>", 0.0), ("▁", -2.0), ("a", -1.0), ("▁a", -2.5), ("aa", -1.5)]
        >>> [UnigramTokenizer(pieces).sample("aa", seed=seed) for seed in (0, 1)]
        [['▁', 'a', 'a'], ['▁', 'aa']]
        """
        if not 0 < temperature < math.inf:
            raise ValueError(f"temperature is {temperature}; it must be above 0 and finite")
        scores = [score / temperature for score in self._scores]
        generator = random.Random(seed)
        ids: list[int] = []
        for run in self._runs(text):
            edges = edges_of(run, self._table, self._unk_id)
            ids += self._ids(run, random_cut(edges, scores, generator))
        return [self.pieces[token_id][0] for token_id in ids]

    def decode(self, ids: Iterable[int]) -> str:
        """Join the pieces of ids, with a space for each ``▁`` but a first one.

        Each byte that is not UTF-8 is a U+FFFD. An unknown id, such as -1, is an `UnknownIdError`.
        """
        found = checks.tokens_of(ids, self._names, self.n_vocab)
        data = b"".join([self._bytes[piece] for piece in found])
        # The first ▁ was put in front; a first byte that is a space was not.
        if found and found[0].startswith(SPACE):
            data = data[1:]
        # Python's own "replace" would write one U+FFFD for several bytes of a character.
        return _NO_UTF8.sub("\ufffd", data.decode(errors="surrogateescape"))

    def _runs(self, text: str) -> list[str]:
        whole = spelled(text)
        if self._is_cut_at_spaces:
            return _RUN.findall(whole)
        return [whole] if whole else []

    def _encode_run(self, run: str) -> list[int]:
        # Find all pieces that occur in the run; a character of none is unknown. Take the best cut.
        edges = edges_of(run, self._table, self._unk_id)
        return self._ids(run, best_cut(edges, self._scores))

    def _ids(self, run: str, cut: Iterable[Edge]) -> list[int]:
        """Turn a cut into ids: unknown characters into their bytes, or each row into one id."""
        ids: list[int] = []
        last = None
        for start, end, token_id in cut:
            if token_id != self._unk_id:
                ids.append(token_id)
            elif self._byte_ids:
                ids += [self._byte_ids[byte] for byte in run[start:end].encode()]
            elif last != self._unk_id:
                ids.append(token_id)
            last = token_id
        return ids


def train_unigram(
    text: str | Iterable[str], vocab_size: int, *, special_tokens: Sequence[str] = ("<unk>",)
) -> UnigramTokenizer:
    """Learn pieces and their probabilities from a text.

    It starts with the frequent parts of words: letters, numbers or other characters, perhaps with
    a ``▁`` in front. Then steps of expectation maximization estimate the probabilities, and the
    pieces whose loss would lower the likelihood least are dropped, a quarter at a time (Kudo 2018,
    section 3.2). There are at most `vocab_size` pieces, with the special tokens and each character
    of the text. The special tokens, ``<unk>`` among them, get the first ids, the most probable
    piece the next. None of them may be a piece that the text makes.

    >>> tokenizer = train_unigram("low low low lower lowest newest widest", 14)
    >>> tokenizer.tokenize("lower newest")
    ['▁low', 'e', 'r', '▁', 'n', 'e', 'w', 'est']
    """
    specials = checks.checked_specials(special_tokens, "special_tokens", needs="<unk>")
    # How often each word occurs, and which characters must stay.
    words = count_words(text, words_of)
    characters = sorted({character for word in words for character in word})
    what = f"vocab_size, for {len(specials)} special tokens and {len(characters)} characters,"
    target = checks.at_least(len(specials) + len(characters), vocab_size, what) - len(specials)
    # The special tokens come first, then the pieces that were learned.
    pieces = learn_pieces(words, characters, target, _SEEDS * vocab_size)
    checks.require_none_of(specials, {piece for piece, _ in pieces})
    return UnigramTokenizer(
        [*((special, 0.0) for special in specials), *pieces], special_tokens=specials
    )


def _checked_piece(pair: tuple[str, float]) -> tuple[str, float]:
    """Return a piece and its log probability, a number at most 0."""
    match pair:
        case [piece, score] if -math.inf < float(score) <= 0:
            return piece, float(score)
        case [piece, score]:
            raise ValueError(f"the score of {piece!r} is {score}; it must be finite and at most 0")
    raise TypeError(
        f"a piece must come with its log probability, as ('a', -2.5), not {checks.describe(pair)}; "
        "pass list(d.items()) of a dict d, and of a SentencePiece model m "
        "[(m.id_to_piece(i), m.get_score(i)) for i in range(len(m))]"
    )


def _require_log_probabilities(scores: Sequence[float]) -> None:
    """Raise a `ValueError` for the scores of a BPE model, which are ranks: 0, -1, -2 and so on."""
    n_zeros = scores.count(0)  # symbols that a user defined, and the first rank
    ranks = [-float(rank) for rank in range(1, len(scores) - n_zeros + 1)]
    if n_zeros and ranks[1:] and scores[n_zeros:] == ranks:
        fix = kinds()["a SentencePiece model"].fix
        raise ValueError(f"the scores of pieces are 0, -1, -2, ...: ranks of a BPE model; {fix}")
