"""Where tokenizers cut a text, against their tokens."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from texts import WORDS, random_texts

from companion.bpe import GPT2_PATTERN, gpt2
from companion.patterns import read_pattern
from companion.story import load_story
from companion.unigram import train_unigram
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab
from workbook.cuts import Tokenizer, cuts

STORY_WORDS = WordTokenizer(build_vocab(load_story(), ["<unk>"]), "<unk>")
SPLIT = read_pattern(GPT2_PATTERN).findall
UNIGRAM = train_unigram(load_story(), 400)


def spelled(text: str) -> list[str]:
    tokens = map(gpt2().decode_single_token_bytes, gpt2().encode_ordinary(text))
    shown = [(token, token.decode(errors="ignore")) for token in tokens]
    return [x if x.encode() == token else token.hex(" ").upper() for token, x in shown]


@pytest.mark.parametrize(
    ("tokenizer", "tokens_of"),
    [
        (SPLIT, SPLIT),
        (gpt2(), spelled),
        (bert_uncased(), bert_uncased().tokenize),
        (UNIGRAM, UNIGRAM.tokenize),
        (STORY_WORDS, lambda text: [STORY_WORDS.decode([i]) for i in STORY_WORDS.encode(text)]),
    ],
)
def test_each_token_has_its_bytes(
    tokenizer: Tokenizer, tokens_of: Callable[[str], list[str]]
) -> None:
    for text in (*WORDS, "한국어 각", "<unk> ▁a", *random_texts(500, 3, surrogates=False)):
        found, data = cuts(tokenizer, text), text.encode()
        assert [cut.token for cut in found] == tokens_of(text)
        assert all(0 <= cut.start <= cut.end <= len(data) for cut in found)
        assert all(a.end <= b.start for a, b in pairwise(found))
        for token, start, end, is_bytes, is_lost in found:
            if text.isascii() and not is_lost:
                shown = re.sub("^##(?=.)", "", token).replace("▁", " ").strip(" ")
                assert shown.lower() == data[start:end].decode().strip(" ").lower()
            assert not is_bytes or bytes.fromhex(token) == data[start:end]
