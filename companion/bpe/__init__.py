r"""Byte pair encoding on bytes, as GPT-2 uses it (chapters `bpe` and `gpt2-tokenizer`).

Learning starts from the 256 bytes and joins, again and again, the two neighbours that occur most
often; each join is a *merge* and makes one new token. Encoding replays the merges, lowest rank
first, within each *word* that a regular expression cuts out of the text. Every text is bytes, so
every text can be encoded, and decoding gives it back (Sennrich, Haddow and Birch 2016, "Neural
Machine Translation of Rare Words with Subword Units", section 3.2; for bytes, and the pattern,
Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2).
"""

import functools
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self

from companion.bpe.alphabet import BYTE_IDS, BYTE_TO_UNICODE
from companion.bpe.learning import learn
from companion.bpe.merges_file import format_merges, parse_merges, tokenizer_json, warn_of_other_ids
from companion.bpe.merging import MergeTable, Pair, merged
from companion.bpe.specials import any_of, special_ids
from companion.bpe.splitting import GPT2_PATTERN, O200K_PATTERN, splitter
from companion.checks import at_least, checked_specials, tokens_of, valid_text
from companion.files import atomic_write, bundled, text_of
from companion.runs import RunMemory, count_words

if TYPE_CHECKING:
    import tiktoken

__all__ = ["BYTE_TO_UNICODE", "GPT2_PATTERN", "BPETokenizer", "gpt2", "o200k", "train_bpe"]


def train_bpe(
    text: str | Iterable[str] | Mapping[str, int],
    vocab_size: int,
    *,
    pattern: str = GPT2_PATTERN,
    special_tokens: Sequence[str] = (),
    progress: bool = False,
) -> "BPETokenizer":
    """Learn merges from a text.

    The most frequent pair of neighbours merges first; on a tie, the one with the smallest ids.
    Overlapping pairs all count: "aaa" contains "aa" twice. The ids are the 256 bytes in GPT-2's
    order, the merges as they were learned, the special tokens.

    Parameters
    ----------
    text : str, iterable of str, or mapping of str to int
        The text to learn from; an iterable may be larger than memory. A mapping says how often each
        text counts. A special token in it is ordinary text: split first,
        ``text.split("<|endoftext|>")``.
    vocab_size : int
        Number of ids to stop at, at least the 256 bytes and the special tokens (`ValueError`);
        fewer when no pair is left.
    pattern, special_tokens
        As for `BPETokenizer`.
    progress : bool, optional
        Show a progress bar of `tqdm`, which must be installed.

    Examples
    --------
    >>> tokenizer = train_bpe("low lower lowest", vocab_size=259)
    >>> tokenizer.merges
    [(b'l', b'o'), (b'lo', b'w'), (b' ', b'low')]
    >>> tokenizer.encode("slow lower")
    [82, 257, 258, 68, 81]
    """
    # What is neither a byte nor a special token is a merge to learn.
    names = checked_specials(special_tokens, "special_tokens")
    what = f"vocab_size, for the 256 bytes and {len(names)} special tokens,"
    least = 256 + len(names)
    steps: Iterable[int] = range(at_least(least, vocab_size, what) - least)
    if progress:
        from tqdm import tqdm  # type: ignore[import-untyped]

        steps = tqdm(steps, desc="train_bpe", unit=" merges")
    # Split the text into words, and count each different one.
    split = splitter(pattern)
    word_counts = count_words(text, lambda part: split(valid_text(part, "text")))
    # In each step, join the most frequent pair.
    merges = learn(word_counts, steps)
    specials = special_tokens if isinstance(special_tokens, Mapping) else names
    return BPETokenizer._learned(merges, pattern=pattern, special_tokens=specials)


class BPETokenizer:
    """Encode any text as ids of byte-level tokens, and decode ids to the same text.

    Text is read as `tiktoken` reads it: a lone surrogate, which UTF-8 cannot encode, becomes
    U+FFFD. The attributes `vocab` and `special_tokens` are the id of each token, of bytes and of
    names; `n_vocab` is the highest id plus one.

    Parameters
    ----------
    merges : sequence of (bytes, bytes)
        The merges in order of rank. Each joins single bytes or results of earlier merges, and no
        pair for the second time (`ValueError`); if two have the same result, it keeps its first id.
    pattern : str, optional
        The regular expression that cuts a text into words, which no merge crosses; the text between
        two matches is a word too. `companion.patterns.read_pattern` reads it as `tiktoken` does; a
        match of the empty string is a `ValueError`.
    special_tokens : sequence of str or mapping of str to int, optional
        Names such as ``"<|endoftext|>"`` and their ids; as a sequence, those after the merges. An
        empty name, one that is given twice, and an id that is taken are a `ValueError`.

    Examples
    --------
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
        special_tokens: Sequence[str] | Mapping[str, int] = (),
    ) -> None:
        # How a text is split into words.
        self.pattern = pattern
        self._split = splitter(pattern)
        # The id of each token, the bytes first, then what each merge makes; the rank of each merge.
        self._table = MergeTable(merges)
        self.merges, self.vocab = self._table.merges, self._table.vocab
        self.special_tokens = special_ids(special_tokens, len(self.vocab))
        self._special_names = frozenset(self.special_tokens)
        # The way back: the token of each id.
        self._tokens = {token_id: token for token, token_id in self.vocab.items()}
        self._tokens |= {token_id: name.encode() for name, token_id in self.special_tokens.items()}
        self.n_vocab = max(self._tokens) + 1
        self._memory: dict[str, list[int]] = {}  # the ids of the words so far
        self._is_learned = False

    @classmethod
    def _learned(cls, merges: Sequence[Pair], **options: Any) -> Self:
        """Return a tokenizer whose merges were learned, not written by hand."""
        # Such a token is what its own bytes merge to, so a word that is a token needs no merging.
        tokenizer = cls(merges, **options)
        tokenizer._is_learned = True
        return tokenizer

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(n_vocab={self.n_vocab}, {len(self.merges)} merges, "
            f"special_tokens={list(self.special_tokens)})"
        )

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_memory": {}}  # a copy for another process remembers nothing yet

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Collection[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """Turn a text into ids; a special token in it is an error unless it is allowed.

        A model obeys its special tokens, so a user's text must not be able to forge them. As in
        `tiktoken`, `allowed_special` are names that become their ids (of two that start together,
        the longest), and `disallowed_special` are texts that raise a `ValueError`: by default every
        special token that is not allowed. With ``()`` those are ordinary text.

        >>> gpt2().encode("<|endoftext|>", allowed_special={"<|endoftext|>"})
        [50256]
        >>> gpt2().encode("<|endoftext|>", disallowed_special=())
        [27, 91, 437, 1659, 5239, 91, 29]
        """
        # Mend surrogates, first of all: no special token may be spelled with them.
        text = valid_text(text, "text")
        # Which names become ids, and which are refused?
        allowed = self._names(allowed_special, "allowed_special")
        refused = self._names(disallowed_special, "disallowed_special")
        if disallowed_special == "all":
            refused -= allowed
        # A special token that is refused is an error.
        if forbidden := any_of(refused).search(text):
            name = forbidden.group()
            raise ValueError(
                f"the text holds the disallowed special token {name!r} at character "
                f"{forbidden.start()}; to encode it as its id, pass allowed_special={{{name!r}}}; "
                "to encode special tokens as ordinary text, pass disallowed_special=()"
            )
        # One that is allowed is its id; what is before, between and after them is ordinary text.
        ids: list[int] = []
        end = 0
        for found in any_of(allowed & self._special_names).finditer(text):
            ids += self.encode_ordinary(text[end : found.start()])
            ids.append(self.special_tokens[found.group()])
            end = found.end()
        return ids + self.encode_ordinary(text[end:])

    def encode_ordinary(self, text: str) -> list[int]:
        """Turn a text into ids; special tokens in it are ordinary text."""
        ids: list[int] = []
        # Split the text into words. No token crosses from one into another.
        for word in self._split(valid_text(text, "text")):
            # A word that came before has its ids in the memory.
            ids += self._memory.get(word) or self._encode_word(word)
        return ids

    def _encode_word(self, word: str) -> list[int]:
        """Return the ids of a new word, and remember them."""
        as_bytes = word.encode()
        if self._is_learned and as_bytes in self.vocab:
            # The word is a token already.
            ids = [self.vocab[as_bytes]]
        else:
            # Start from the id of each byte, and join the pairs that were learned.
            ids = [BYTE_IDS[byte] for byte in as_bytes]
            ids = merged(ids, self._table.ranks, self._table.results)
        # As in `RunMemory`, without the time of its calls: a long word hardly ever comes again.
        # When there are too many words, all are forgotten.
        if len(word) <= RunMemory.MAX_LENGTH:
            if len(self._memory) >= RunMemory.MAX_RUNS:
                self._memory.clear()
            self._memory[word] = ids
        return ids

    def _names(self, names: Literal["all"] | Collection[str], what: str) -> frozenset[str]:
        """Return names as a set; "all" are those of this tokenizer's special tokens."""
        if isinstance(names, str) and names != "all":  # as a set, the set of its characters
            raise TypeError(f"{what} must be 'all' or a set of strings; write {{{names!r}}}")
        return self._special_names if isinstance(names, str) else frozenset(names)

    def merge_steps(self, word: str | bytes) -> list[list[bytes]]:
        """Show how a word merges: its single bytes, then its tokens after each merge.

        A step merges one occurrence of one pair, of the lowest rank, and the leftmost. The pattern
        does not cut the word first.

        >>> train_bpe("low lower lowest", 258).merge_steps("low")
        [[b'l', b'o', b'w'], [b'lo', b'w'], [b'low']]
        """
        if not isinstance(word, bytes):
            word = valid_text(word, "word").encode()
        ranks = self._table.ranks
        steps = [[bytes([byte]) for byte in word]]
        while True:
            # Which neighbours merge, and with which rank?
            tokens = steps[-1]
            ids = pairwise([self.vocab[token] for token in tokens])
            found = [(ranks[pair], i) for i, pair in enumerate(ids) if pair in ranks]
            if not found:
                return steps
            # The lowest rank is next, and of equals the leftmost.
            _, i = min(found)
            steps.append([*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]])

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text; a special token becomes its name.

        `errors` is that of `bytes.decode`. A token may be a part of a character, so decode all ids
        of a text at once. An unknown id, such as -1, raises `UnknownIdError`.

        >>> gpt2().decode([41840, 235]), gpt2().decode([41840])
        ('👍', '�')
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turn ids into the bytes of their tokens, joined."""
        # The bytes of all tokens come first: a token may be half a character.
        return b"".join(tokens_of(ids, self._tokens, self.n_vocab))

    def decode_single_token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token; an unknown id raises `UnknownIdError`."""
        return tokens_of([token_id], self._tokens, self.n_vocab)[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Write the merges to a file in the format of GPT-2's ``vocab.bpe``.

        `tokenizers` and `transformers` call it ``merges.txt``: a line with the version, then one
        merge a line, its bytes as in `BYTE_TO_UNICODE`. Pattern and special tokens are not saved.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/vocab.bpe"
        >>> train_bpe("low lower lowest", 258).save(path)
        >>> BPETokenizer.load(path).merges, open(path, encoding="utf-8").read()
        ([(b'l', b'o'), (b'lo', b'w')], '#version: 0.2\nl o\nlo w\n')
        """
        with atomic_write(path) as file:
            file.write(format_merges(self.merges))

    def save_tokenizer_json(self, path: str | os.PathLike[str]) -> None:
        r"""Write a ``tokenizer.json``, which `tokenizers`, `transformers` and `inspector` read.

        It holds merges, ids, pattern and special tokens. Its readers always find special tokens, as
        `encode` does with ``allowed_special="all"``. A `ValueError` names what the format cannot
        say: a pattern that `tokenizers` reads in another way than `tiktoken`, and a special token
        whose name is also that of an ordinary token, or would be decoded as other bytes.

        >>> import json, tempfile
        >>> path = tempfile.mkdtemp() + "/tokenizer.json"
        >>> train_bpe("low lower lowest", 260, special_tokens=["<end>"]).save_tokenizer_json(path)
        >>> written = json.load(open(path, encoding="utf-8"))
        >>> written["model"]["vocab"]["low"], written["added_tokens"][0]["content"]
        (257, '<end>')
        """
        content = tokenizer_json(self.merges, self.vocab, self.pattern, self.special_tokens)
        with atomic_write(path) as file:
            file.write(content)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        pattern: str = GPT2_PATTERN,
        special_tokens: Sequence[str] | Mapping[str, int] = (),
    ) -> Self:
        """Read merges from a file in the format of GPT-2's ``vocab.bpe``, as ``merges.txt`` has it.

        The options are those of `BPETokenizer`; `save` has an example. The line of the version may
        be missing. The file holds no ids: here they are GPT-2's, the bytes and then the merges. If
        a ``vocab.json`` beside it gives others, a warning says so: ``inspector.Pipeline`` reads
        both files. A `ValueError` names a damaged line, or what a file of another kind is.
        """
        # A byte that is not UTF-8 becomes U+FFFD, which no byte is written as, and is refused.
        text = text_of(path, "a file of merges", errors="replace")
        merges = parse_merges(text, os.fspath(path))
        tokenizer = cls(merges, pattern=pattern, special_tokens=special_tokens)
        warn_of_other_ids(path, tokenizer.vocab)
        return tokenizer

    def to_tiktoken(self, name: str) -> "tiktoken.Encoding":
        """Return an equal encoder of `tiktoken`, for real work.

        `tiktoken` knows ranks of tokens but no merges: it joins any two neighbours that make a
        token. For merges that were learned that is the same; where it is not, a `ValueError` names
        the token. Another refuses a special token that begins another one: `tiktoken` does not
        promise that the longest wins.
        """
        from companion.bpe.exchange import as_encoding  # here: tiktoken is for these two alone

        return as_encoding(name, self._table, self.pattern, self.special_tokens)

    @classmethod
    def from_tiktoken(cls, encoding: "tiktoken.Encoding") -> Self:
        """Return the tokenizer that encodes as an encoder of `tiktoken`, with the same ids.

        The merges are recovered from the tokens: encoded with lower ids only, a token is the two
        parts that its merge joins. The pattern must match every character, because the text between
        two words is a word here, and lost in `tiktoken`. A `ValueError` names the first token that
        comes from no merge (Llama 3 has some), leaves a gap, or is another byte than in GPT-2.

        >>> low = train_bpe("low lower lowest", 259).to_tiktoken("low")
        >>> BPETokenizer.from_tiktoken(low).merges
        [(b'l', b'o'), (b'lo', b'w'), (b' ', b'low')]
        """
        from companion.bpe.exchange import parts_of

        merges, pattern, specials = parts_of(encoding)
        return cls._learned(merges, pattern=pattern, special_tokens=specials)


@functools.cache
def gpt2() -> BPETokenizer:
    """Return the tokenizer of GPT-2, made once from the merges in this package.

    It has 50,257 ids: 256 bytes, 50,000 merges, and ``<|endoftext|>`` (50256).

    >>> gpt2().encode("Once upon a time")
    [7454, 2402, 257, 640]
    """
    merges = parse_merges(bundled("vocab.bpe").decode(), "vocab.bpe")
    return BPETokenizer._learned(merges, special_tokens=("<|endoftext|>",))


@functools.cache
def o200k() -> BPETokenizer:
    """Return the tokenizer of GPT-4o and GPT-5, made once from the merges in this package.

    Its ids are those of `tiktoken`'s ``o200k_base``: 256 bytes, 199,742 merges, ``<|endoftext|>``
    (199999) and ``<|endofprompt|>`` (200018). `n_vocab` is 200,019, and 19 ids have no token.

    >>> len(gpt2().encode("Привет, мир!")), len(o200k().encode("Привет, мир!"))
    (13, 5)
    """
    merges = parse_merges(bundled("o200k.bpe").decode(), "o200k.bpe")
    specials = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    return BPETokenizer._learned(merges, pattern=O200K_PATTERN, special_tokens=specials)
