"""WordPiece: by hand, over all of Unicode, and against independent implementations."""

import pickle
import re
from collections import Counter
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused, refused_files
from texts import ALL_QUICK_AND_SLOW, QUICK_AND_SLOW, all_characters, random_texts
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from companion.tokenizer import Tokenizer
from companion.wordpiece import WordPieceTokenizer, bert_uncased, train_wordpiece
from companion.wordpiece.cleaning import normalized, words_of
from companion.wordpiece.learning import SymbolCounts

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@pytest.fixture(scope="module")
def hugging_face() -> tokenizers.Tokenizer:
    """BERT's tokenizer put together from parts; it takes "[SEP]" in a text for plain text."""
    path = files("companion").joinpath("data", "bert-base-uncased-vocab.txt")
    vocab = models.WordPiece.read_file(str(path))
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"])
    )
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    return tokenizer


def recounted_vocab(counts: Counter[str], size: int) -> list[str]:
    """Learn a vocabulary the slow way: every score anew, as a fraction, for each merge."""
    words = {word: [word[0], *(f"##{c}" for c in word[1:])] for word in counts}
    vocab = [*SPECIALS, *sorted({piece for pieces in words.values() for piece in pieces})]
    while len(vocab) < size:
        single: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for word, pieces in words.items():
            single.update(pieces * counts[word])
            pairs.update([*pairwise(pieces)] * counts[word])
        if not pairs:
            break
        score = {(a, b): Fraction(n, single[a] * single[b]) for (a, b), n in pairs.items()}
        best = min(pairs, key=lambda p: (-score[p], vocab.index(p[0]), vocab.index(p[1])))
        joined = best[0] + best[1][2:]
        for pieces in words.values():
            for i in range(len(pieces) - 1):  # from the left
                if tuple(pieces[i : i + 2]) == best:
                    pieces[i : i + 2] = [joined]
        if joined not in vocab:
            vocab.append(joined)
    return vocab


def test_scores_that_a_float_cannot_tell_apart() -> None:
    # ab n + 1 times: (n + 1) / (n + 1)² = 1 / (n + 1). cd n times: 1 / n, higher by a hair.
    n = 10**18
    assert 1 / (n + 1) == 1 / n  # as floats: the smaller ids would win
    assert SymbolCounts({"\0\1": n + 1, "\2\3": n}).best() == "\2\3"


@given(st.lists(st.text("abc", min_size=1, max_size=8), max_size=25), st.integers(11, 60))
def test_learning_equals_recounting(words: list[str], size: int) -> None:
    tokenizer = train_wordpiece(words, size)
    assert list(tokenizer.vocab) == recounted_vocab(Counter(words), size)


def test_words_to_learn_from_are_cleaned_and_those_that_are_too_long_are_left_out() -> None:
    text = (part for part in ["x" * 101 + " Áb", "\u200b"])
    assert list(train_wordpiece(text, 100).vocab) == [*SPECIALS, "##b", "a", "ab"]


def test_options_and_a_copy_for_another_process() -> None:
    tokenizer = WordPieceTokenizer(
        {"<?>": 3, "A": 1, "é": 0, "##b": 9}, lowercase=False, unk_token="<?>", max_chars_per_word=2
    )
    for found in (tokenizer, pickle.loads(pickle.dumps(tokenizer))):
        assert found.tokenize("Ab ab Abb é") == ["A", "##b", "<?>", "<?>", "é"]
        assert (found.n_vocab, found.vocab["##b"]) == (10, 9)


@ALL_QUICK_AND_SLOW
def test_every_character_is_treated_as_tokenizers_does(every: int) -> None:
    """Between two letters, a character shows whether it is dropped, splits, or stays."""
    normalizer = normalizers.BertNormalizer()
    splitter = pre_tokenizers.BertPreTokenizer()
    # Python and tokenizers know different versions of Unicode. Some characters have a small
    # letter or a decomposition in the newer only; no vocabulary holds any of them, so their words
    # are [UNK] to both.
    differ = []
    for character in all_characters(every):
        text = f"a{character}b"
        theirs = [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]
        ours = words_of(normalized(text))
        if ours != theirs:
            differ.append(character)
            assert len(ours) == len(theirs) == 1
            assert bert_uncased().tokenize(character) == ["[UNK]"]
            assert bert_uncased().tokenize(theirs[0][1:-1]) == ["[UNK]"]
    assert len(differ) < 100


def test_a_vocab_txt_is_read(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    # U+2028 and U+000B end no line, and of "a" the last id counts.
    path.write_bytes("\ufeff[UNK]\r\na\r\n\u2028\n\x0b\n\nÉ\n请求\na\n".encode())
    tokenizer = WordPieceTokenizer.load(path)
    expected = {"[UNK]": 0, "\u2028": 2, "\x0b": 3, "": 4, "É": 5, "请求": 6, "a": 7}
    assert tokenizer.vocab == expected
    assert (tokenizer.n_vocab, tokenizer.tokenize("É 请求")) == (8, ["[UNK]", "[UNK]", "[UNK]"])
    cased = WordPieceTokenizer.load(str(path), lowercase=False, split_chinese=False)
    assert cased.tokenize("É A 请求") == ["É", "[UNK]", "请求"]
    accents = WordPieceTokenizer.load(path, lowercase=False, strip_accents=True)
    assert accents.tokenize("É á") == ["[UNK]", "a"]


test_another_file_is_refused = refused_files(
    WordPieceTokenizer.load,
    [
        ("", "an empty file"),
        ("#version: 0.2\na b\n", "a file of merges, not a vocab.txt; read it with BPETokenizer"),
        ("<s>\na\n", "has no line [UNK] among its 2"),
        (b"[UNK]\n\xe9\n", "byte 6 is not UTF-8"),
    ],
)


@QUICK_AND_SLOW
def test_ids_equal_those_of_tokenizers(n: int, hugging_face: tokenizers.Tokenizer) -> None:
    tokenizer = bert_uncased()
    assert isinstance(tokenizer, Tokenizer)
    assert (tokenizer.vocab, tokenizer.n_vocab) == (hugging_face.get_vocab(), 30_522)
    texts = list(random_texts(n, seed=11, surrogates=True))
    known = [re.sub("[\ud800-\udfff]", "", text) for text in texts]  # tokenizers takes no others
    for first, second, a, b in zip(texts, reversed(texts), known, reversed(known), strict=True):
        ours, theirs = tokenizer.encode_pair(first, second), hugging_face.encode(a, b)
        assert ours == (theirs.ids, theirs.type_ids, theirs.tokens)
        assert tokenizer.encode(first) == hugging_face.encode(a).ids
        decoded = hugging_face.decode(ours.ids, skip_special_tokens=False)
        assert tokenizer.decode(ours.ids) == decoded


@given(
    st.lists(st.sampled_from("abc")),
    st.lists(st.sampled_from("xyz")) | st.none(),
    st.integers(3, 40),
)
@example(list("aaaaa"), list("xxxxx"), 8)  # the first keeps three of five
def test_truncation_takes_one_by_one_from_the_longer(
    first: list[str], second: list[str] | None, max_length: int
) -> None:
    text_pair = None if second is None else " ".join(second)
    pair = bert_uncased().encode_pair(" ".join(first), text_pair, max_length=max_length)
    n_special = 2 if second is None else 3
    while len(first) + len(second or []) + n_special > max_length:
        longer = first if second is None or len(first) > len(second) else second
        longer.pop()
    expected = ["[CLS]", *first, "[SEP]", *([] if second is None else [*second, "[SEP]"])]
    assert pair.tokens == expected
    assert pair.segment_ids == [int(i > len(first) + 1) for i in range(len(expected))]
    plain = bert_uncased().decode(pair.ids, skip_special_tokens=True)
    assert plain == " ".join([*first, *(second or [])])


@pytest.mark.outside_mutation
def test_long_texts_and_words(hugging_face: tokenizers.Tokenizer) -> None:
    for text in ["a" * 80_000, "请" * 80_000, "e\u0301" * 40_000, " \t" * 40_000,
                 *("x" * n + " a" + "ab " * 3_000 for n in (4_095, 4_096, 4_097))]:  # fmt: skip
        assert bert_uncased().encode(text) == hugging_face.encode(text).ids


MAKE: Any = WordPieceTokenizer
TRAIN: Any = train_wordpiece
NO_SEP = WordPieceTokenizer(["[UNK]", "[CLS]", "a"])

test_what_is_refused = refused(
    [
        (lambda: MAKE(["[UNK]", "a", "a"]), ValueError, "token 'a' has the ids 1 and 2; name it"),
        (lambda: MAKE(["a"]), ValueError, "unk_token '[UNK]' is not among the 1 tokens"),
        (lambda: MAKE({"[UNK]"}), TypeError, "vocab must be a sequence of tokens or map them to "),
        (lambda: NO_SEP.encode("a"), ValueError, "the vocabulary lacks '[SEP]'; add it, or"),
        (lambda: bert_uncased().encode_pair("a", "b", max_length=2), ValueError, "at least 3"),
        (lambda: TRAIN("ab", 6), ValueError, "vocab_size, for 5 special tokens and 2 letters, is"),
        (lambda: TRAIN("a", 9, special_tokens=["[UNK]", "a"]), ValueError, "'a' is also a piece"),
    ]
)  # fmt: skip
