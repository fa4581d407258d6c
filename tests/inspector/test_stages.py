"""Each component of a pipeline against the library's own, which writes its part of the file."""

import json
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from texts import SPACES, WORDS, all_characters
from tokenizer_files import CODES, charsmap, of
from tokenizers import Regex
from tokenizers import decoders as d
from tokenizers import models as m
from tokenizers import normalizers as n
from tokenizers import pre_tokenizers as p

from inspector import Pipeline, decoders, normalizers, pre_tokenizers
from inspector.parts import made

BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")


def part_of(component: Any) -> Any:
    return json.loads(component.__getstate__())


def pairs_of(components: list[Any], kinds: Any, **more: Any) -> list[tuple[Any, Any]]:
    """Return each component of the library with ours."""
    return [(each, made("part", part_of(each), kinds, **more)) for each in components]


def precompiled() -> Any:
    rules = of("Precompiled", precompiled_charsmap=charsmap())
    file = {"model": of("WordLevel", vocab={}, unk_token=""), "normalizer": rules}
    return tokenizers.Tokenizer.from_str(json.dumps(file)).normalizer


NORMALIZERS = [
    n.NFC(), n.NFD(), n.NFKC(), n.NFKD(), n.Lowercase(), n.StripAccents(), n.Nmt(), n.ByteLevel(),
    n.BertNormalizer(), n.BertNormalizer(lowercase=False, strip_accents=True, clean_text=False),
    n.BertNormalizer(handle_chinese_chars=False, strip_accents=False), n.Prepend("▁"),
    n.Strip(), n.Strip(right=False), n.Strip(left=False), n.Replace(" ", "▁"), precompiled(),
    n.Replace(Regex(r"\s+|\p{Lu}"), "-"), n.Sequence([n.NFD(), n.StripAccents(), n.Sequence([])]),
]  # fmt: skip
PRE_TOKENIZERS = [
    *(p.Split(Regex(r"\s+|e|\d"), each, invert=turned) for each in BEHAVIORS
      for turned in (False, True)),
    *(p.Split(" ", each) for each in BEHAVIORS), *map(p.Punctuation, BEHAVIORS),
    p.Split(Regex("e*"), "isolated"), p.Split("", "removed"),
    p.ByteLevel(), p.ByteLevel(add_prefix_space=False), p.ByteLevel(use_regex=False),
    *(p.Metaspace(prepend_scheme=each, split=is_split) for each in ("always", "first", "never")
      for is_split in (True, False)), p.Metaspace("e"),
    p.Whitespace(), p.WhitespaceSplit(), p.BertPreTokenizer(), p.Digits(), p.Digits(True),
    p.CharDelimiterSplit("e"), p.Sequence([]),
    p.Sequence([p.WhitespaceSplit(), p.Metaspace()]),
    p.Sequence([p.Metaspace(prepend_scheme="first"), p.Split(" ", "removed"), p.Digits(True)]),
    p.Sequence([p.Whitespace(), p.ByteLevel(add_prefix_space=True), p.Split("Ġ", "isolated")]),
]  # fmt: skip


@cache
def known_characters() -> list[str]:
    """Return the characters that the library's tables and Python's have in common.

    Its tables for decomposing and for marks are of an older Unicode than Python's.
    """
    pairs = pairs_of([n.NFKD(), n.StripAccents(), n.Lowercase()], normalizers.KINDS)
    characters = all_characters(997)
    known = [c for c in characters if all(t.normalize_str(c) == ours(c) for t, ours in pairs)]
    assert len(characters) - len(known) < 600
    assert {*"".join(WORDS)} <= {*known}
    return known


@cache
def some_text() -> st.SearchStrategy[str]:
    marks = ["\r\n", "e\u0301", "ª\u0301", "\u0600a\u0301", "\n\u0340\u0301", "İ", "ſ", "ÅΣ",
             "한글", " do not"]  # fmt: skip
    return st.lists(
        st.one_of(st.sampled_from(known_characters()), st.sampled_from([*SPACES, *WORDS, *marks]),
                  st.text("aeE1 .'▁Ġ", max_size=5)), max_size=9,
    ).map("".join)  # fmt: skip


EVERY = pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])


@EVERY
def test_normalizers_and_pre_tokenizers(every: int) -> None:
    changes = pairs_of(NORMALIZERS, normalizers.KINDS)
    cuts = pairs_of(PRE_TOKENIZERS, pre_tokenizers.KINDS, begins=True)

    def same(text: str) -> None:
        for theirs, ours in changes:
            assert ours(text) == theirs.normalize_str(text), theirs
        for theirs, ours in cuts:
            pieces = [piece for piece, _ in theirs.pre_tokenize_str(text)]
            assert [*filter(None, ours(text))] == pieces, theirs

    given(some_text().filter(bool))(same)()
    some = known_characters()[::every]
    for i in range(0, len(some), 200):
        same("a".join(some[i : i + 200]))


DECODERS = [
    d.ByteLevel(), d.WordPiece(), d.WordPiece("", cleanup=False), d.Metaspace(), d.Fuse(),
    d.Metaspace(prepend_scheme="never"), d.Metaspace("#"), d.BPEDecoder(), d.BPEDecoder(""),
    d.Replace("▁", " "), d.Replace(Regex("[a-e]+"), "-"), d.ByteFallback(), d.Strip("▁", 2, 0),
    d.Strip("▁", 0, 1), d.Sequence([d.ByteFallback(), d.Fuse(), d.Strip("a", 1, 0)]),
]  # fmt: skip
PIECES = ["##a", "##", "a", "▁a", "▁▁", "▁", "do", " do not", "not", "n't", "'", "'s", ".", " ?",
          "a</w>", "</w>", "<0x41>", "<0xc3>", "<0xA9>", "<0xFF>", "<0x+1>", "<0x4>", "Ġa",
          "Ã", "©", "Ã©", "é", "<s>"]  # fmt: skip


def test_decoders() -> None:
    pairs = pairs_of(DECODERS, decoders.KINDS)

    @given(st.lists(st.sampled_from(PIECES), min_size=1))
    def same(tokens: list[str]) -> None:
        for theirs, ours in pairs:
            assert "".join(ours(tokens)) == theirs.decode(tokens), theirs

    same()


LETTERS = {c: i for i, c in enumerate(["<unk>", *"abc▁", "##a", "##b", "##c", "c</w>", "##c</w>"])}
MERGES = [("a", "b"), ("b", "c"), ("ab", "c"), ("▁", "ab"), ("a", "a"), ("aa", "a")]
BYTES = {code: 20 + i for i, code in enumerate(CODES)}
WHOLE = LETTERS | {a + b: 10 + i for i, (a, b) in enumerate(MERGES)}
PARTED = LETTERS | {"ab": 10, "abc": 11}  # a + ##b, ab + ##c
PIECES_OF = [("<unk>", -9.0), ("a", -1.0), ("b", -1.5), ("ab", -2.5), ("abc", -3.0), ("▁", -2.0),
             ("aa", -2.0), ("</s>", 0.0), ("éa", -4.0)]  # fmt: skip
MODELS = [
    m.BPE(WHOLE, MERGES), m.BPE(WHOLE, MERGES, unk_token="<unk>"),
    m.BPE(WHOLE, MERGES, unk_token="<unk>", fuse_unk=True),
    m.BPE(WHOLE, MERGES, ignore_merges=True),
    m.BPE(WHOLE | BYTES, MERGES, unk_token="<unk>", byte_fallback=True),
    m.BPE(WHOLE | {"<0xC3>": 30, "<0xA9>": 31}, MERGES, unk_token="<unk>", byte_fallback=True),
    m.BPE(PARTED, [("a", "##b"), ("ab", "##c")], continuing_subword_prefix="##", unk_token="<unk>"),
    m.BPE(LETTERS, [], end_of_word_suffix="</w>", continuing_subword_prefix="##"),
    m.WordPiece(LETTERS, unk_token="<unk>"),
    m.WordPiece(LETTERS, unk_token="a", max_input_chars_per_word=3),
    m.WordPiece(WHOLE, unk_token="<unk>", continuing_subword_prefix=""),
    m.WordLevel(WHOLE, unk_token="<unk>"),
    m.Unigram(PIECES_OF, 0, False), m.Unigram(PIECES_OF, 2, False),
    m.Unigram([*PIECES_OF, *((code, -12.0) for code in CODES)], 0, True),
    m.Unigram([*PIECES_OF, ("<0xC3>", -12.0), ("<0xA9>", -12.0)], 0, True),
]  # fmt: skip


def test_models() -> None:
    each = [tokenizers.Tokenizer(model) for model in MODELS]
    pairs = [(Pipeline(json.loads(theirs.to_str())), theirs) for theirs in each]

    @given(st.one_of(st.text("abc▁éxß<unk>/s", max_size=12), some_text()))
    def same(text: str) -> None:
        for ours, theirs in pairs:
            found = theirs.encode(text)
            assert ours.encode_pair(text)[::2] == (found.ids, found.tokens), theirs.model
            assert ours.encode(text) == found.ids

    same()
