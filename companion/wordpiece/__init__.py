"""WordPiece, as BERT uses it (chapter `wordpiece`).

A text is cleaned, lower-cased and cut into words. Each word is then read greedily: the longest
piece of the vocabulary that it begins with, the longest that follows, and so on; a piece inside a
word is marked by ``##``. A word that cannot be read to its end becomes ``[UNK]`` as a whole.

WordPiece is by Schuster and Nakajima (2012), and in BERT by Devlin et al. (2019).
"""

import functools
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, count
from typing import NamedTuple, Self

from companion import checks
from companion.files import bundled, text_of
from companion.patterns import blocks
from companion.runs import RunMemory, count_words
from companion.wordpiece.cleaning import BERT_SPACE, normalized, words_of
from companion.wordpiece.learning import learn_pieces, letters_of

__all__ = ["PairEncoding", "WordPieceTokenizer", "bert_uncased", "train_wordpiece"]

_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MAX_CHARS_PER_WORD = 100

# A text is cut at white space first, because most of these runs come again.
_RUN = re.compile(f"[^{BERT_SPACE}]+")
_BORDER = re.compile(f"[^{BERT_SPACE}](?=[{BERT_SPACE}])")


class PairEncoding(NamedTuple):
    """The input of BERT: three lists with one entry for each token.

    `segment_ids` has 0 for ``[CLS]``, the first text and its ``[SEP]``, then 1.

    >>> bert_uncased().encode_pair("Who?", "Me.").segment_ids
    [0, 0, 0, 0, 1, 1, 1]
    """

    ids: list[int]
    segment_ids: list[int]
    tokens: list[str]


def longest_match(
    word: str, vocab: Mapping[str, int], *, prefix: str = "##", max_chars: int = _MAX_CHARS_PER_WORD
) -> list[int] | None:
    """Take the longest piece that the rest of a word begins with, until nothing is left.

    This is `split_word` of the chapter, with ids. It returns None for a word of more than
    `max_chars` characters, and for one that cannot be read to its end.

    >>> longest_match("hugs", {"hu": 0, "hug": 1, "##s": 2}), longest_match("huge", {"hug": 1})
    ([1, 2], None)
    """
    if len(word) > max_chars:
        return None
    ids: list[int] = []
    start, mark = 0, ""
    while start < len(word):
        # The longest piece that the rest begins with: try the whole rest, then less and less.
        for end in range(len(word), start, -1):
            token_id = vocab.get(mark + word[start:end])
            if token_id is not None:
                break
        else:  # there is none
            return None
        # Go on after it. What follows is inside the word.
        ids.append(token_id)
        start, mark = end, prefix
    return ids


class WordPieceTokenizer:
    """Encode text as ids of word pieces, as BERT does, and decode ids to joined pieces.

    The rules are those of `tokenizers`, in this order: U+0000, U+FFFD, control and format
    characters, private use and surrogates are dropped. White space separates words. Each Chinese
    character is a word. Characters are decomposed (NFD), combining marks dropped, letters
    lower-cased one by one. Each punctuation mark or other ASCII sign, such as ``$``, is a word. A
    special token's name in the text is plain text.

    Parameters
    ----------
    vocab : sequence of str or mapping of str to int
        The tokens in the order of their ids, or each token and its id. A piece that continues a
        word begins with ``##``.
    lowercase, strip_accents, split_chinese : bool, optional
        Lower-case the text, as the uncased BERT does; drop its accents (by default, as `lowercase`
        says); make each Chinese character a word of its own.
    unk_token, max_chars_per_word : optional
        The token of `vocab` for a word that cannot be read, or that has more characters than this.

    Examples
    --------
    >>> tokenizer = WordPieceTokenizer(["[UNK]", "hu", "hug", "##s", "##gs"])
    >>> tokenizer.tokenize("Hugs, hugged")
    ['hug', '##s', '[UNK]', '[UNK]']
    """

    def __init__(
        self,
        vocab: Sequence[str] | Mapping[str, int],
        *,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
        unk_token: str = "[UNK]",
        max_chars_per_word: int = _MAX_CHARS_PER_WORD,
    ) -> None:
        if isinstance(vocab, Set):  # which has no order
            raise TypeError("vocab must be a sequence of tokens or map them to ids, not a set")
        pairs = vocab.items() if isinstance(vocab, Mapping) else zip(vocab, count(), strict=False)
        self.vocab, self._tokens = checks.checked_vocab(pairs)
        if unk_token not in self.vocab:
            raise ValueError(
                f"unk_token {unk_token!r} is not among the {len(self.vocab)} tokens; add it"
            )
        self.max_chars_per_word, self.lowercase = max_chars_per_word, lowercase
        self._normalized = functools.partial(
            normalized,
            lowercase=lowercase,
            strip_accents=strip_accents,
            split_chinese=split_chinese,
        )
        self.unk_token = unk_token
        self.n_vocab = max(self._tokens) + 1
        # The ids of the runs and the words so far. A text without spaces is one long run, of which
        # the words come again.
        self._runs, self._words = RunMemory(self._encode_run), RunMemory(self._encode_word)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_vocab={self.n_vocab}, lowercase={self.lowercase})"

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        split_chinese: bool = True,
    ) -> Self:
        """Read a ``vocab.txt``: a token a line, in the order of the ids.

        The ``tokenizer_config.json`` beside it says how its tokenizer cleans a text, as
        ``do_lower_case``, ``strip_accents`` and ``tokenize_chinese_chars``. A line ends at LF or
        CRLF and nowhere else; of a token that occurs twice, the last id counts. A `ValueError`
        names what another file is.
        """
        text = text_of(path, "a vocab.txt")
        tokens = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        vocab = {token: token_id for token_id, token in enumerate(tokens)}
        if "[UNK]" not in vocab:
            raise ValueError(
                f"{path} has no line [UNK] among its {len(tokens)}, so it is no vocab.txt of BERT; "
                "give tokens with another unk_token to WordPieceTokenizer itself"
            )
        return cls(
            vocab, lowercase=lowercase, strip_accents=strip_accents, split_chinese=split_chinese
        )

    def tokenize(self, text: str) -> list[str]:
        """Cut a text into the tokens of the vocabulary, without ``[CLS]`` and ``[SEP]``."""
        return [self._tokens[token_id] for token_id in self._encode(text)]

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids, with ``[CLS]`` before and ``[SEP]`` after it.

        >>> bert_uncased().encode("Transformers are amazing.")
        [101, 19081, 2024, 6429, 1012, 102]
        """
        start, end = self._required("[CLS]"), self._required("[SEP]")
        return [start, *self._encode(text), end]

    def encode_pair(
        self, first: str, second: str | None = None, *, max_length: int | None = None
    ) -> PairEncoding:
        """Turn one text or two into the input of BERT: ``[CLS] first [SEP] second [SEP]``.

        `max_length` is the most tokens there may be, ``[CLS]`` and ``[SEP]`` included. Tokens
        beyond it are removed one by one from the end of the longer text; if both are equally long,
        from the second.

        >>> bert_uncased().encode_pair("I like cats", "I like dogs").tokens
        ['[CLS]', 'i', 'like', 'cats', '[SEP]', 'i', 'like', 'dogs', '[SEP]']
        """
        start, end = self._required("[CLS]"), self._required("[SEP]")
        ids = self._encode(first)
        second_ids = [] if second is None else self._encode(second)
        if max_length is not None:
            n_special = 2 if second is None else 3
            room = checks.at_least(n_special, max_length, "max_length") - n_special
            # The first text may fill what the second leaves, and always the larger half.
            keep = min(len(ids), max(room - len(second_ids), room - room // 2))
            ids, second_ids = ids[:keep], second_ids[: room - keep]
        ids = [start, *ids, end]
        segment_ids = [0] * len(ids)
        if second is not None:
            ids += [*second_ids, end]
            segment_ids += [1] * (len(second_ids) + 1)
        return PairEncoding(ids, segment_ids, [self._tokens[token_id] for token_id in ids])

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        """Join the tokens of ids: a space between words, none before a piece with ``##``.

        Case, accents and white space do not come back. A piece with ``##`` that comes first keeps
        its mark. `skip_special_tokens` leaves out ``[PAD]``, ``[UNK]``, ``[CLS]``, ``[SEP]`` and
        ``[MASK]``. An unknown id, such as -1, raises `UnknownIdError`.

        >>> bert_uncased().decode([101, 1045, 2066, 13137, 20968, 102])
        '[CLS] i like strawberries [SEP]'
        """
        tokens = checks.tokens_of(ids, self._tokens, self.n_vocab)
        if skip_special_tokens:
            special = {*_SPECIAL_TOKENS, self.unk_token}
            tokens = [token for token in tokens if token not in special]
        rest = (token[2:] if token.startswith("##") else f" {token}" for token in tokens[1:])
        return "".join([*tokens[:1], *rest])

    def _encode(self, text: str) -> list[int]:
        """Return the ids of a text, without special tokens."""
        checks.require_text(text, "text")
        # As `tokenize` in the chapter, with two memories: the text is cut into runs, a new run is
        # cleaned and cut into words, a new word into pieces.
        return self._runs.ids_of(_runs_of(text))

    def _encode_run(self, run: str) -> list[int]:
        """Clean what is between two spaces, and cut it into words."""
        return self._words.ids_of(words_of(self._normalized(run)))

    def _encode_word(self, word: str) -> list[int]:
        """Take the longest pieces, or the unknown token."""
        ids = longest_match(word, self.vocab, max_chars=self.max_chars_per_word)
        return [self.vocab[self.unk_token]] if ids is None else ids

    def _required(self, token: str) -> int:
        if token not in self.vocab:
            raise ValueError(f"the vocabulary lacks {token!r}; add it, or use tokenize(text)")
        return self.vocab[token]


def _runs_of(text: str) -> Iterator[str]:
    return chain.from_iterable(map(_RUN.findall, blocks(text, _BORDER)))


@functools.cache
def bert_uncased() -> WordPieceTokenizer:
    """Return BERT's tokenizer (uncased, 30,522 ids), made once from the vocabulary in this package.

    >>> bert_uncased().tokenize("Don't say naïve!")
    ['don', "'", 't', 'say', 'naive', '!']
    """
    data = bundled("bert-base-uncased-vocab.txt")
    return WordPieceTokenizer(data.decode("utf-8").removesuffix("\n").split("\n"))


def train_wordpiece(
    text: str | Iterable[str], vocab_size: int, *, special_tokens: Sequence[str] = _SPECIAL_TOKENS
) -> WordPieceTokenizer:
    """Learn a vocabulary of word pieces from a text, by score instead of count.

    Each word starts as its letters. Again and again the pair of neighbours *a*, *b* with the
    highest score, count(ab) / (count(a) · count(b)), merges into one piece; of equal scores, the
    pair with the smallest ids. Overlapping pairs all count: "aaa" contains "aa" twice. The ids are
    the special tokens as given, the letters sorted by code point, those inside a word with ``##``,
    then the new pieces as they were made; "a" + "##bc" and "ab" + "##c" share one id. The score is
    the community's reading of Schuster and Nakajima (2012): BERT's own trainer was not published.

    Parameters
    ----------
    text : str or iterable of str
        The text to learn from, cleaned and cut into words as the uncased BERT does; words of more
        than 100 characters, which the tokenizer would not read, are left out.
    vocab_size : int
        Number of ids to stop at, at least the special tokens and the letters; fewer when no pair
        is left.
    special_tokens : sequence of str, optional
        ``[UNK]`` must be among them. None may be a piece that the text makes.

    Examples
    --------
    >>> text = "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5
    >>> list(train_wordpiece(text, vocab_size=13).vocab)[5:]
    ['##g', '##n', '##s', '##u', 'b', 'h', 'p', '##gs']
    """
    special_tokens = checks.checked_specials(special_tokens, "special_tokens", needs="[UNK]")
    # Count what is between white space. Clean each different run once, and count its words.
    word_counts: Counter[str] = Counter()
    for run, n in count_words(text, _runs_of).items():
        for word in words_of(normalized(run)):
            if len(word) <= _MAX_CHARS_PER_WORD:
                word_counts[word] += n
    # The letters must fit beside the special tokens.
    letters = sorted({letter for word in word_counts for letter in letters_of(word)})
    n_specials, n_letters = len(special_tokens), len(letters)
    what = f"vocab_size, for {n_specials} special tokens and {n_letters} letters,"
    size = checks.at_least(n_specials + n_letters, vocab_size, what)
    # Merge the best pair until there are enough tokens.
    tokens = learn_pieces(word_counts, special_tokens, letters, size)
    checks.require_none_of(special_tokens, set(tokens[n_specials:]))
    return WordPieceTokenizer(tokens)
