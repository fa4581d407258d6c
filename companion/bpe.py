r"""Byte pair encoding on bytes, as GPT-2 uses it (chapters `bpe` and `gpt2-tokenizer`).

Learning starts from the 256 bytes and joins, again and again, the pair of neighbours that occurs
most often; each join is a *merge* and makes one new token. Encoding replays the merges, lowest
rank first. Neither crosses the border of a *word*, a piece of the text that a regular expression
cuts out before. Since every text is bytes, every text can be encoded, and decoding gives it back.

The algorithm is that of Sennrich, Haddow and Birch (2016, section 3.2); bytes instead of
characters, and the pattern, are those of Radford et al. (2019, section 2.2).

>>> from companion.bpe import gpt2
>>> gpt2().encode("unbelievability")
[403, 6667, 11203, 1799]
"""

import functools
import hashlib
import heapq
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import regex

from companion._checks import (
    as_id,
    as_ids,
    checked_specials,
    describe,
    require_text,
    shortened,
    unknown_id,
)
from companion._subword import RunMemory, character_class, find_runs, valid_unicode

if TYPE_CHECKING:
    import tiktoken

__all__ = [
    "BYTE_TO_UNICODE",
    "GPT2_PATTERN",
    "BPETokenizer",
    "gpt2",
    "train_bpe",
]

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The regular expression (of the package `regex`) that cuts a text into GPT-2's words."""


def _stand_ins() -> dict[int, str]:
    """Give each byte a character that prints: itself where it can, one from 256 on elsewhere."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    stand_ins = {byte: chr(byte) for byte in printable}
    stand_ins |= {byte: chr(256 + i) for i, byte in enumerate(others)}
    return dict(sorted(stand_ins.items()))


BYTE_TO_UNICODE = _stand_ins()
"""Each byte and the printable character that stands for it where tokens are shown or saved."""

_UNICODE_TO_BYTE = {character: byte for byte, character in BYTE_TO_UNICODE.items()}
# Ids 0 to 255: GPT-2 numbers the bytes in the order of their stand-ins, so "!" has id 0.
_BYTE_ORDER = sorted(range(256), key=BYTE_TO_UNICODE.__getitem__)
_BYTE_IDS = {byte: byte_id for byte_id, byte in enumerate(_BYTE_ORDER)}

_VERSION_LINE = "#version: 0.2"
_GPT2_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"

# White space as Unicode has it. The \s of `re` would add U+001C to U+001F, which are none to GPT-2.
_S = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_L, _N = character_class("letter"), character_class("number")
# GPT-2's pattern in two steps, with the `re` of Python, which is some three times faster. First
# cut runs: of no white space, with the space before it, or of white space alone, which leaves its
# last character to the text that follows. No word crosses from one run into another, so the ids
# of a run can be remembered; only a new run is cut into words.
_GPT2_RUN = re.compile(rf" ?[^{_S}]+|[{_S}]+(?![^{_S}])|[{_S}]+")
_GPT2_BORDER = re.compile(rf"[^{_S}](?=[{_S}])")
_GPT2_WORD = re.compile(rf"'(?:s|t|re|ve|m|ll|d)| ?[{_L}]+| ?[{_N}]+| ?[^{_S}{_L}{_N}]+|[{_S}]+")

Pair = tuple[bytes, bytes]


# ------------------------------------------------------------------------------ learning


def train_bpe(
    text: str | Iterable[str],
    vocab_size: int,
    *,
    pattern: str = GPT2_PATTERN,
    special_tokens: Sequence[str] = (),
    progress: bool = False,
) -> "BPETokenizer":
    """Learn merges from a text.

    The most frequent pair of neighbours merges first; of pairs that are equally frequent, the one
    with the smallest ids. A pair is counted wherever it stands, overlaps included: "aaa" holds
    "aa" twice. The words of the text are counted once, and each merge visits only the words that
    hold its pair, so the cost grows with distinct words rather than with the length of the text.

    Parameters
    ----------
    text : str or iterable of str
        The text to learn from. No word crosses from one string of an iterable into the next, and
        an iterable may be larger than memory. Special tokens in it are ordinary text.
    vocab_size : int
        Number of ids to stop at, the 256 bytes and the special tokens included. There are fewer
        when the text runs out of pairs.
    pattern : str, optional
        The regular expression that cuts out words. What it leaves out between two matches is a
        word too, so that no text is lost.
    special_tokens : sequence of str, optional
        Names such as ``"<|endoftext|>"`` that get ids of their own, after the merges.
    progress : bool, optional
        Report to standard error how many merges are done.

    Returns
    -------
    BPETokenizer
        Its ids are the 256 bytes in GPT-2's order, the merges as they were learned, the special
        tokens.

    Raises
    ------
    TypeError
        If `text` holds anything but strings, or `vocab_size` is not an integer.
    ValueError
        If `vocab_size` is less than 256 and the special tokens need, or `pattern` is no regular
        expression or matches the empty string.

    Notes
    -----
    From Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword
    Units", section 3.2; on bytes, as in Radford et al. 2019, "Language Models are Unsupervised
    Multitask Learners", section 2.2.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> tokenizer = train_bpe("low lower lowest", vocab_size=259)
    >>> tokenizer.merges
    [(b'l', b'o'), (b'lo', b'w'), (b' ', b'low')]
    >>> tokenizer.encode("slow lower")
    [82, 257, 258, 68, 81]
    """
    special_tokens = checked_specials(special_tokens, "special_tokens")
    n_merges = as_id(vocab_size, "vocab_size") - 256 - len(special_tokens)
    if n_merges < 0:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the 256 bytes and {len(special_tokens)} special "
            f"tokens need at least {256 + len(special_tokens)}"
        )
    counts = _PairCounts(_count_words(text, *_cutters(pattern)))
    merges = _learn(counts, n_merges, _report_progress if progress else None)
    return BPETokenizer(merges, pattern=pattern, special_tokens=special_tokens)


def _count_words(
    text: str | Iterable[str],
    runs: Callable[[str], Iterable[str]],
    words: Callable[[str], list[str]],
) -> dict[bytes, int]:
    """Count the distinct words: "to be or not to be" -> {"to": 1, " be": 2, ..., " to": 1}."""
    if isinstance(text, bytes) or not isinstance(text, Iterable):
        raise TypeError(f"text must be a string or an iterable of strings, not {describe(text)}")
    run_counts: Counter[str] = Counter()
    for i, part in enumerate([text] if isinstance(text, str) else text):
        require_text(part, f"string {i} of text")
        run_counts.update(runs(valid_unicode(part)))
    word_counts: Counter[bytes] = Counter()
    for run, count in run_counts.items():
        for word in words(run):
            word_counts[word.encode()] += count
    return word_counts


class _PairCounts:
    """How often each two symbols stand side by side, kept up to date while they merge.

    A symbol is ``chr(id)``, a word a string of symbols, a pair a string of two. So pairs compare
    as their ids do, and a merge is a `str.replace`: from the left, without overlap. There are
    1,114,112 characters, more than a vocabulary needs.
    """

    def __init__(self, word_counts: Mapping[bytes, int]) -> None:
        to_symbols = {byte: chr(byte_id) for byte, byte_id in _BYTE_IDS.items()}
        self._words: list[str] = []
        self._weights = list(word_counts.values())
        self._where: defaultdict[str, set[int]] = defaultdict(set)  # the words that hold a pair
        self.counts: defaultdict[str, int] = defaultdict(int)
        for i, (word, weight) in enumerate(word_counts.items()):
            symbols = word.decode("latin-1").translate(to_symbols)
            self._words.append(symbols)
            for left, right in pairwise(symbols):
                self.counts[left + right] += weight
                self._where[left + right].add(i)

    def merge(self, pair: str, new: str) -> set[str]:
        """Replace a pair by a new symbol in every word, and return the pairs that arose."""
        left, right = pair[0], pair[1]
        arose = set()
        for i in self._where.pop(pair):
            word = self._words[i].replace(pair, new)
            self._words[i] = word
            # Only the neighbours of the new symbol change. Where it has itself for a neighbour,
            # "abab" -> "XX", the one to the right does the counting, so that it is done once.
            at = word.find(new)
            while at >= 0:
                before, after = word[at - 1 : at], word[at + 1 : at + 2]
                if before:
                    arose.add(before + new)
                    self._move((right if before == new else before) + left, before + new, i)
                if after and after != new:
                    arose.add(new + after)
                    self._move(right + after, new + after, i)
                at = word.find(new, at + 1)
        del self.counts[pair]
        return arose

    def _move(self, old: str, new: str, i: int) -> None:
        """Count one occurrence in word `i` for the new pair instead of the old."""
        self.counts[old] -= self._weights[i]
        self.counts[new] += self._weights[i]
        self._where[new].add(i)


def _learn(
    counts: _PairCounts, n_merges: int, report: Callable[[int, int, bool], None] | None
) -> list[Pair]:
    """Merge the most frequent pair until there are enough merges or no pair is left."""
    tokens = [bytes([byte]) for byte in _BYTE_ORDER]
    merges: list[Pair] = []
    # A heap of (-count, pair): the most frequent pair comes first, the smallest of equals. Counts
    # fall while their entries lie here, so an entry that is out of date goes back with its count
    # of today. No count rises after its pair arose, because each merge makes a new symbol.
    heap = [(-count, pair) for pair, count in counts.counts.items()]
    heapq.heapify(heap)
    while heap and len(merges) < n_merges:
        negative_count, pair = heapq.heappop(heap)
        count = counts.counts[pair]
        if count != -negative_count:
            if count > 0:
                heapq.heappush(heap, (-count, pair))
            continue
        left, right = (tokens[ord(symbol)] for symbol in pair)
        for arisen in counts.merge(pair, chr(len(tokens))):
            heapq.heappush(heap, (-counts.counts[arisen], arisen))
        merges.append((left, right))
        tokens.append(left + right)
        if report is not None:
            report(len(merges), n_merges, False)
    if report is not None:
        report(len(merges), n_merges, True)
    return merges


def _report_progress(done: int, n_merges: int, finished: bool) -> None:
    """Keep one line on standard error up to date."""
    # A hundred updates are enough to watch, and cost nothing beside the merges.
    if finished or done % max(1, min(1000, n_merges // 100)) == 0:
        end = "\n" if finished else ""
        print(f"\rtrain_bpe: {done:,} of {n_merges:,} merges", end=end, file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------ cutting


def _cutters(
    pattern: str,
) -> tuple[Callable[[str], Iterable[str]], Callable[[str], list[str]]]:
    """Return what cuts a text into runs, and what cuts a run into words."""
    if pattern == GPT2_PATTERN:
        return functools.partial(find_runs, _GPT2_RUN, _GPT2_BORDER), _GPT2_WORD.findall
    require_text(pattern, "pattern")
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is no regular expression: {error}") from error
    if compiled.fullmatch(""):
        raise ValueError(f"pattern {pattern!r} matches the empty string; write + instead of *")

    def words(text: str) -> list[str]:
        found, end = [], 0
        for match in compiled.finditer(text):
            found += [text[end : match.start()], match.group()]
            end = match.end()
        return [word for word in [*found, text[end:]] if word]

    # Any other pattern may look around its words, so a word cannot be cut out of less than all.
    return words, lambda word: [word]


# ------------------------------------------------------------------------------ encoding


class BPETokenizer:
    """Encode any text as ids of byte-level tokens, and decode ids to the same text.

    Parameters
    ----------
    merges : sequence of (bytes, bytes)
        The merges in order of rank. Each joins two tokens that are single bytes or results of
        earlier merges. Two merges may have the same result: it keeps its first id.
    pattern : str, optional
        The regular expression (of the package `regex`) that cuts a text into words; merges never
        cross from one word into another. What it leaves out between two matches is a word too.
    special_tokens : sequence of str, optional
        Names that get ids of their own, after the merges. In a text they are refused unless
        `encode` is told otherwise.

    Attributes
    ----------
    merges : list of (bytes, bytes)
        The merges in order of rank.
    vocab : dict of bytes to int
        Each token and its id, without the special tokens: the 256 bytes in GPT-2's order, then
        the results of the merges.
    special_tokens : dict of str to int
        Each special token and its id.
    pattern : str
        The regular expression that cuts out words.
    n_vocab : int
        Number of ids, the special tokens included.

    Raises
    ------
    TypeError
        If a merge is not a pair of bytes, or a special token not a string.
    ValueError
        If a merge joins what is neither a byte nor an earlier result, or a pair that is merged
        already; if a special token is empty, given twice or not valid Unicode; if `pattern` is no
        regular expression or matches the empty string.

    Notes
    -----
    Text is read as `tiktoken` reads it: a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
    What GPT-2's pattern calls a letter or a number is fixed (Unicode 16.0, as in `tiktoken`),
    whatever the version of Python or of `regex`. A pattern of your own is read by `regex`.

    Examples
    --------
    >>> from companion.bpe import BPETokenizer
    >>> tokenizer = BPETokenizer([(b"a", b"b"), (b"ab", b"c")], special_tokens=["<|end|>"])
    >>> tokenizer.encode("abcab<|end|>", allowed_special={"<|end|>"})
    [257, 256, 258]
    >>> tokenizer.decode([257, 256, 258])
    'abcab<|end|>'
    """

    def __init__(
        self,
        merges: Sequence[Pair],
        *,
        pattern: str = GPT2_PATTERN,
        special_tokens: Sequence[str] = (),
    ) -> None:
        self._runs_of, self._words_of = _cutters(pattern)
        self.pattern = pattern
        self.vocab = {bytes([byte]): byte_id for byte, byte_id in _BYTE_IDS.items()}
        self.merges: list[Pair] = []
        self._ranks: dict[tuple[int, int], int] = {}
        self._results: list[int] = []  # the id that each rank makes
        for rank, merge in enumerate(merges):
            self._add_merge(merge, f"merge {rank}")
        self._add_specials(special_tokens)
        self._memory = RunMemory(self._encode_run)

    def _add_merge(self, merge: Pair, where: str) -> None:
        left, right = _checked_merge(merge, where)
        for part in (left, right):
            if part not in self.vocab:
                raise ValueError(
                    f"{where} joins {left!r} and {right!r}, but {part!r} is neither a byte nor "
                    "the result of an earlier merge"
                )
        pair = self.vocab[left], self.vocab[right]
        if pair in self._ranks:
            raise ValueError(
                f"{where} joins {left!r} and {right!r}, which the merge of rank "
                f"{self._ranks[pair]} joins already; leave one of them out"
            )
        self._ranks[pair] = len(self.merges)
        self._results.append(self.vocab.setdefault(left + right, len(self.vocab)))
        self.merges.append((left, right))

    def _add_specials(self, special_tokens: Sequence[str]) -> None:
        names = checked_specials(special_tokens, "special_tokens")
        self.special_tokens = {name: len(self.vocab) + i for i, name in enumerate(names)}
        self._tokens = [*self.vocab, *map(_special_bytes, names)]
        self.n_vocab = len(self._tokens)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_vocab={self.n_vocab}, {len(self.merges)} merges, "
            f"special_tokens={list(self.special_tokens)})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy for another process is made anew: what encoding has remembered stays here.
        remake = functools.partial(
            type(self), pattern=self.pattern, special_tokens=list(self.special_tokens)
        )
        return remake, (self.merges,)

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Collection[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """Turn a text into ids; a special token in it is an error unless it is allowed.

        A model obeys its special tokens, so a text from outside must not forge them by merely
        spelling them out. The rules are those of `tiktoken`.

        Parameters
        ----------
        text : str
            Any text.
        allowed_special : "all" or collection of str, optional
            Special tokens that become their ids. Other names have no effect. Where two of them
            start at the same place, the longest wins.
        disallowed_special : "all" or collection of str, optional
            Texts that must not occur; "all" means every special token that is not allowed. What
            is neither allowed nor disallowed is ordinary text: with ``()`` nothing is refused.

        Returns
        -------
        list of int
            The ids in order.

        Raises
        ------
        TypeError
            If `text` is not a string.
        ValueError
            If the text holds a disallowed special token.

        Examples
        --------
        >>> from companion.bpe import gpt2
        >>> tokenizer = gpt2()
        >>> tokenizer.encode("The end<|endoftext|>", allowed_special={"<|endoftext|>"})
        [464, 886, 50256]
        >>> tokenizer.encode("<|endoftext|>", disallowed_special=())
        [27, 91, 437, 1659, 5239, 91, 29]
        """
        require_text(text, "text")
        # Before the check below: a special token spelled with surrogates must not slip through.
        text = valid_unicode(text)
        allowed = self._special_names(allowed_special, "allowed_special")
        disallowed = self._special_names(disallowed_special, "disallowed_special")
        if disallowed_special == "all":
            disallowed -= allowed
        if disallowed and (found := _any_of(disallowed).search(text)):
            raise ValueError(
                f"the text holds the disallowed special token {found.group()!r} at character "
                f"{found.start()}; to encode it as its id, pass "
                f"allowed_special={{{found.group()!r}}}; to encode special tokens as ordinary "
                "text, pass disallowed_special=()"
            )
        allowed = allowed.intersection(self.special_tokens)
        if not allowed:
            return self._encode(text)
        ids: list[int] = []
        start = 0
        for match in _any_of(allowed).finditer(text):
            ids += self._encode(text[start : match.start()])
            ids.append(self.special_tokens[match.group()])
            start = match.end()
        return ids + self._encode(text[start:])

    def _special_names(self, names: Literal["all"] | Collection[str], what: str) -> frozenset[str]:
        if isinstance(names, str):
            if names != "all":
                raise TypeError(
                    f"{what} must be 'all' or a set of strings, not the string {names!r}; "
                    f"write {{{names!r}}}"
                )
            return frozenset(self.special_tokens)
        if not isinstance(names, Iterable):
            raise TypeError(f"{what} must be 'all' or a set of strings, not {describe(names)}")
        found = frozenset(names)
        for name in found:
            require_text(name, f"a name in {what}")
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """Turn a text into ids; special tokens in it are ordinary text.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of int
            The ids in order.

        Raises
        ------
        TypeError
            If `text` is not a string.

        Examples
        --------
        >>> from companion.bpe import gpt2
        >>> gpt2().encode_ordinary("to be or not to be")
        [1462, 307, 393, 407, 284, 307]
        """
        require_text(text, "text")
        return self._encode(valid_unicode(text))

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for run in self._runs_of(text):
            ids += self._memory[run]
        return ids

    def _encode_run(self, run: str) -> tuple[int, ...]:
        words = self._words_of(run)
        if len(words) == 1:
            return tuple(self._encode_word(words[0].encode()))
        # A word is a run too: the words of a long run without white space are remembered by one.
        return tuple(chain.from_iterable(self._memory[word] for word in words))

    def _encode_word(self, word: bytes) -> list[int]:
        """Merge the bytes of one word: always the lowest rank, and of equals the leftmost.

        Looking at all pairs before each merge is simple and takes time with the square of the
        word's length. Here the places of possible merges wait in a heap, and the symbols that
        are left are linked to their neighbours, so a merge costs the same in a word of any size.
        """
        symbols = [_BYTE_IDS[byte] for byte in word]
        after = list(range(1, len(symbols) + 1))
        before = list(range(-1, len(symbols) - 1))
        ranks = self._ranks
        heap = [
            (rank, i)
            for i, pair in enumerate(pairwise(symbols))
            if (rank := ranks.get(pair)) is not None
        ]
        heapq.heapify(heap)
        while heap:
            rank, i = heapq.heappop(heap)
            j = after[i]
            # One of the two may have merged with its other neighbour since this place was noted.
            if j == len(symbols) or ranks.get((symbols[i], symbols[j])) != rank:
                continue
            symbols[i] = self._results[rank]
            symbols[j] = -1  # gone: no pair holds -1
            after[i] = after[j]
            if after[j] < len(symbols):
                before[after[j]] = i
            for k in (before[i], i):
                if k >= 0 and after[k] < len(symbols):
                    new_rank = ranks.get((symbols[k], symbols[after[k]]))
                    if new_rank is not None:
                        heapq.heappush(heap, (new_rank, k))
        return [symbol for symbol in symbols if symbol >= 0]

    def merge_steps(self, word: str | bytes) -> list[list[bytes]]:
        """Show how a word merges, one merge at a time.

        The word is taken as it is: the pattern does not cut it first. Each step keeps a list of
        all tokens, so this is for words to look at, not for long texts.

        Parameters
        ----------
        word : str or bytes
            The word; a string is encoded as UTF-8.

        Returns
        -------
        list of list of bytes
            The single bytes, then the tokens after each merge. A step merges one occurrence of
            one pair: the pair of the lowest rank, and of its occurrences the leftmost.

        Raises
        ------
        TypeError
            If `word` is neither a string nor bytes.

        Examples
        --------
        >>> from companion.bpe import train_bpe
        >>> for step in train_bpe("low lower lowest", 258).merge_steps("slow"):
        ...     print(step)
        [b's', b'l', b'o', b'w']
        [b's', b'lo', b'w']
        [b's', b'low']
        """
        if not isinstance(word, bytes):
            require_text(word, "word")
            word = valid_unicode(word).encode()
        steps = [[bytes([byte]) for byte in word]]
        while True:
            tokens = steps[-1]
            ids = [self.vocab[token] for token in tokens]
            ranked = [(self._ranks[p], i) for i, p in enumerate(pairwise(ids)) if p in self._ranks]
            if not ranked:
                return steps
            _, i = min(ranked)
            steps.append([*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]])

    # -------------------------------------------------------------------------- decoding

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text.

        Parameters
        ----------
        ids : iterable of int
            Ids of the vocabulary; a special token becomes its name.
        errors : str, optional
            What to do with bytes that are no UTF-8, as of `bytes.decode`. A token may hold a part
            of a character, so decode all ids of a text at once; "strict" raises an error.

        Returns
        -------
        str
            The text.

        Raises
        ------
        UnknownIdError
            If an id is not in the vocabulary; negative ids are not.
        TypeError
            If `ids` is not an iterable of integers.
        UnicodeDecodeError
            If the bytes are no UTF-8 and `errors` is "strict".

        Examples
        --------
        >>> from companion.bpe import gpt2
        >>> tokenizer = gpt2()
        >>> tokenizer.decode([41840, 235]), tokenizer.decode([41840])
        ('👍', '�')
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        r"""Turn ids into bytes.

        Parameters
        ----------
        ids : iterable of int
            Ids of the vocabulary; a special token becomes the bytes of its name.

        Returns
        -------
        bytes
            The bytes of all tokens, joined.

        Raises
        ------
        UnknownIdError
            If an id is not in the vocabulary; negative ids are not.
        TypeError
            If `ids` is not an iterable of integers.

        Examples
        --------
        >>> from companion.bpe import gpt2
        >>> gpt2().decode_bytes([41840])
        b'\xf0\x9f\x91'
        """
        return b"".join(map(self._token_of, as_ids(ids)))

    def decode_single_token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token.

        Parameters
        ----------
        token_id : int
            An id of the vocabulary.

        Returns
        -------
        bytes
            The token; of a special token, its name.

        Raises
        ------
        UnknownIdError
            If the id is not in the vocabulary; negative ids are not.
        TypeError
            If the id is not an integer.

        Examples
        --------
        >>> from companion.bpe import gpt2
        >>> gpt2().decode_single_token_bytes(22502)
        b' Rabb'
        """
        return self._token_of(as_id(token_id, "an id"))

    def _token_of(self, token_id: int) -> bytes:
        # Without the first comparison -1 would quietly give the last token.
        if 0 <= token_id < self.n_vocab:
            return self._tokens[token_id]
        raise unknown_id(token_id, self.n_vocab, self.n_vocab)

    # -------------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the merges to a file in the format of GPT-2's ``vocab.bpe``.

        It is also the ``merges.txt`` of `tokenizers` and `transformers`: a line with the version,
        then a merge a line, its bytes as in `BYTE_TO_UNICODE`. The pattern and the special tokens
        are not part of it.

        Parameters
        ----------
        path : str or path
            Where to write.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from companion.bpe import train_bpe
        >>> path = pathlib.Path(tempfile.mkdtemp(), "vocab.bpe")
        >>> train_bpe("low lower lowest", 259).save(path)
        >>> print(path.read_text(encoding="utf-8"), end="")
        #version: 0.2
        l o
        lo w
        Ġ low
        """
        lines = [_VERSION_LINE, *(f"{_shown(left)} {_shown(right)}" for left, right in self.merges)]
        Path(path).write_bytes("".join(f"{line}\n" for line in lines).encode())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        pattern: str = GPT2_PATTERN,
        special_tokens: Sequence[str] = (),
    ) -> "BPETokenizer":
        """Read merges from a file in the format of GPT-2's ``vocab.bpe``.

        Parameters
        ----------
        path : str or path
            A file that `save` wrote, or a ``merges.txt`` of `tokenizers` or `transformers`.
        pattern : str, optional
            The regular expression that cuts a text into words.
        special_tokens : sequence of str, optional
            Names that get ids of their own, after the merges.

        Returns
        -------
        BPETokenizer
            A tokenizer with those merges.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If the file is damaged; the message names the line.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from companion.bpe import BPETokenizer
        >>> path = pathlib.Path(tempfile.mkdtemp(), "vocab.bpe")
        >>> BPETokenizer([(b"a", b"b"), (b"ab", b"c")]).save(path)
        >>> BPETokenizer.load(path).encode("abcab")
        [257, 256]
        """
        return cls._parse(Path(path).read_bytes(), os.fspath(path), pattern, special_tokens)

    @classmethod
    def _parse(
        cls, data: bytes, name: str, pattern: str, special_tokens: Sequence[str]
    ) -> "BPETokenizer":
        lines = data.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
        if not lines[0].startswith(b"#version"):
            raise ValueError(
                f"line 1 of {name} must be {_VERSION_LINE!r}, not {shortened(_decoded(lines[0]))}"
            )
        tokenizer = cls((), pattern=pattern)
        for i, line in enumerate(lines[1:], 2):
            where = f"line {i} of {name}"
            tokenizer._add_merge(_parse_line(line, where), where)
        tokenizer._add_specials(special_tokens)
        return tokenizer

    def to_tiktoken(self, name: str) -> "tiktoken.Encoding":
        """Return an equal encoder of `tiktoken`, for real work.

        `tiktoken` knows tokens with their ranks but no merges: it joins any two neighbours that
        make a token, and takes a word that is a token as it is. That comes to the same if each
        token, encoded as a word of its own, stays one token. Merges that were learned have this
        property; a list put together by hand may not.

        Parameters
        ----------
        name : str
            A name for the encoding.

        Returns
        -------
        tiktoken.Encoding
            It has the ids and special tokens of this tokenizer.

        Raises
        ------
        ValueError
            If `tiktoken` would cut some text into other tokens, or if one special token begins
            another: `tiktoken` does not promise that the longest wins.

        Notes
        -----
        `tiktoken` reads the pattern with another engine: a pattern of your own may use only what
        both `regex` and Rust's `fancy-regex` know. It gives up, with a `ValueError`, on a million
        characters of white space in a row.

        Examples
        --------
        >>> from companion.bpe import train_bpe
        >>> tokenizer = train_bpe("low lower lowest", 259)
        >>> tokenizer.to_tiktoken("low").encode("slow lower") == tokenizer.encode("slow lower")
        True
        """
        import tiktoken  # here, so that the module starts fast

        self._require_own_tokens()
        self._require_prefix_free_specials()
        # tiktoken drops what lies between two words; the last alternative makes it a word.
        between = rf"(?:{self.pattern})|(?:(?!{self.pattern})[\s\S])+"
        return tiktoken.Encoding(
            name,
            pat_str=self.pattern if self.pattern == GPT2_PATTERN else between,
            mergeable_ranks=self.vocab,
            special_tokens=self.special_tokens,
        )

    def _require_own_tokens(self) -> None:
        """Raise a `ValueError` unless each token, as a word, encodes to itself."""
        alone = self
        if len(self.merges) > len(self.vocab) - 256:
            # Where two merges make one token, tiktoken gives both the rank of the first. That is
            # right only if the second never happens: if the token comes out without it.
            first = {left + right: (left, right) for left, right in reversed(self.merges)}
            alone = type(self)([merge for merge in self.merges if first[b"".join(merge)] == merge])
        for token, token_id in self.vocab.items():
            ids = alone._encode_word(token)
            if ids != [token_id]:
                raise ValueError(
                    f"tiktoken would take the word {token!r} as token {token_id}, but the merges "
                    f"make {[alone._tokens[i] for i in ids]} of it; it cannot encode as they do"
                )

    def _require_prefix_free_specials(self) -> None:
        # In sorted order a name that begins others stands directly before one of them.
        for shorter, longer in pairwise(sorted(self.special_tokens)):
            if longer.startswith(shorter):
                raise ValueError(
                    f"the special token {shorter!r} begins {longer!r}, and tiktoken might take "
                    "either where both fit; give one of them another name"
                )


def _checked_merge(merge: Any, where: str) -> Pair:
    if isinstance(merge, str | bytes) or not isinstance(merge, Sequence) or len(merge) != 2:
        raise TypeError(f"{where} must be a pair of bytes, not {describe(merge)}")
    for part in merge:
        if not isinstance(part, bytes):
            raise TypeError(f"{where} must join bytes, not {describe(part)}")
    return merge[0], merge[1]


def _special_bytes(name: str) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"the special token {name!r} holds a surrogate, which no encoded text can hold; "
            "leave it out"
        ) from None


@functools.lru_cache
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Match any of the names, the longest that starts at a place."""
    return re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))


def _shown(token: bytes) -> str:
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


def _parse_line(line: bytes, where: str) -> Pair:
    text = _decoded(line)
    parts = text.split(" ")
    if len(parts) != 2 or not all(parts):
        raise ValueError(
            f"{where} must hold two tokens with a space between, not {shortened(text)}"
        )
    for character in text:
        if character != " " and character not in _UNICODE_TO_BYTE:
            raise ValueError(f"{where} holds {character!r}, which stands for no byte")
    left, right = (bytes(_UNICODE_TO_BYTE[character] for character in part) for part in parts)
    return left, right


def _decoded(line: bytes) -> str:
    # A byte that is no UTF-8 becomes U+FFFD, which stands for no byte and is refused as such.
    return line.decode("utf-8", "replace")


@functools.cache
def gpt2() -> BPETokenizer:
    """Return the tokenizer of GPT-2, from the merges that come with this package.

    Returns
    -------
    BPETokenizer
        It has 50,257 ids: 256 bytes, 50,000 merges, and ``<|endoftext|>`` (50256). All calls
        return the same object.

    Raises
    ------
    ValueError
        If the bundled file is not the published one.

    Examples
    --------
    >>> from companion.bpe import gpt2
    >>> gpt2().n_vocab
    50257
    >>> gpt2().encode("Once upon a time")
    [7454, 2402, 257, 640]
    """
    data = files("companion").joinpath("data", "vocab.bpe").read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != _GPT2_SHA256:
        raise ValueError(
            f"the bundled vocab.bpe has the SHA-256 {found}, not {_GPT2_SHA256}; "
            "install the package again"
        )
    return BPETokenizer._parse(data, "vocab.bpe", GPT2_PATTERN, ("<|endoftext|>",))
