"""Streaming: no continuation changes a stable id, and pieces join to what `decode` gives."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest import mock

import numpy
import pytest
from refusals import refused
from texts import random_texts
from tokenizer_files import CODES, FAMILIES, PUBLISHED, both
from tokenizers.decoders import DecodeStream
from transformers import TextStreamer

from companion.bpe import BPETokenizer, gpt2, o200k
from companion.errors import UnknownIdError
from companion.story import load_story
from companion.streaming import StreamDecoder, stable_ids
from companion.tokenizer import Tokenizer
from companion.unigram import UnigramTokenizer, train_unigram
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab
from inspector import Pipeline

PATTERNS = {name: PUBLISHED[name] for name in ("GPT-4", "Qwen 3.5", "Llama 3")}
PATTERNS["Qwen"] = PATTERNS["Llama 3"].replace(r"\p{N}{1,3}", r"\p{N}")

# A character of each kind that a pattern tells apart, and each letter of a contraction.
KINDS = [*"Aa字\u0301ʰǅ1½ \t\n\r\u3000!/'\U0001f407sStrRevVlLmdſ", "'s", "'LL", "<|endoftext|>"]
HALVES = ["\ud83d", "\udc07", "\ud801"]  # of a sign, and of a letter


@cache
def tokenizers() -> list[BPETokenizer]:
    return [gpt2(), o200k(), *(BPETokenizer(gpt2().merges, pattern=p) for p in PATTERNS.values())]


def check_stable(text: str, more: str) -> None:
    for tokenizer in tokenizers():
        ids, whole = stable_ids(tokenizer, text), tokenizer.encode_ordinary(text + more)
        assert whole[: len(ids)] == ids, (tokenizer.pattern, text, more)


@pytest.mark.parametrize("n", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_no_continuation_changes_a_stable_id(n: int) -> None:
    """A third of the pairs are of kinds, a third the story in two, a third any code points."""
    rng, story = random.Random(n), load_story()
    rough = [text for text in random_texts(300, n, surrogates=True) if text]
    for i in range(n):
        kinds = ["".join(rng.choices(KINDS + HALVES, k=rng.randrange(8))) for _ in range(2)]
        cut, both = rng.randrange(len(story)), "".join(rng.choices(rough, k=2))
        at = rng.randrange(len(both))
        check_stable(*(kinds, (story[max(0, cut - 60) : cut], story[cut : cut + 20]),
                       (both[:at], both[at:]))[i % 3])  # fmt: skip


def test_few_ids_are_held_back() -> None:
    """The open word, and the one before it where a space or a sign is at the end."""
    for cut in range(0, len(load_story()), 7):
        text = load_story()[max(0, cut - 60) : cut]
        for tokenizer in (gpt2(), o200k()):
            held = tokenizer.encode(text)[len(stable_ids(tokenizer, text)) :]
            assert len(tokenizer.decode(held).split()) <= 2
    assert gpt2().decode(stable_ids(gpt2(), "Once upon a time there")) == "Once upon a time"
    assert o200k().decode(stable_ids(o200k(), "in 12345")) == "in 123"


DECODER: Any = StreamDecoder
test_refusals = refused([
    (lambda: stable_ids(BPETokenizer([], pattern=r"a(?=.*z)|\s+"), "a"), ValueError,
     "the pattern 'a(?=.*z)|\\\\s+' is not made of the alternatives"),
    (lambda: DECODER(gpt2(), stop="END"), ValueError, "as in ['END'], not 'END'"),
    (lambda: DECODER(gpt2(), stop=["a", ""]), ValueError, "not ['a', '']"),
    (lambda: DECODER(gpt2(), stop=[b"END"]), ValueError, "not [b'END']"),
    (lambda: DECODER(gpt2()).feed([14337]), TypeError, "token_id must be an integer"),
])  # fmt: skip


def unigram() -> UnigramTokenizer:
    pieces = train_unigram(load_story(), 300).pieces
    return UnigramTokenizer([*pieces, *((code, 0.0) for code in CODES)], byte_fallback=True)


MADE: dict[str, Callable[[], Any]] = {
    "tiktoken": lambda: gpt2().to_tiktoken("gpt2"),
    "WordPiece": bert_uncased,
    "words": lambda: WordTokenizer(build_vocab(load_story(), ["<unk>"]), unk_token="<unk>"),
    "Unigram": unigram,
    "own GPT-2": gpt2,
    "own o200k": o200k,  # a token may end within a character, and the next begin another
}


@cache
def streamed(name: str) -> Any:
    return MADE[name]() if name in MADE else Pipeline(FAMILIES[name]())


def pieces_of(tokenizer: Tokenizer, ids: list[int], stop: list[str]) -> list[str]:
    decoder = StreamDecoder(tokenizer, stop=iter(stop))
    return [*map(decoder.feed, ids), decoder.close()]


def check_pieces(tokenizer: Tokenizer, ids: list[int], rng: random.Random) -> None:
    """Join the pieces of ids: they are `decode` of all, up to the first of some stop strings."""
    whole = tokenizer.decode(ids)
    starts = [rng.randrange(len(whole)) for _ in range(rng.randrange(3)) if whole]
    stop = [whole[i : i + rng.randrange(1, 6)] for i in starts]
    end = min([whole.find(text) for text in stop], default=len(whole))
    assert "".join(pieces_of(tokenizer, ids, stop)) == whole[:end], (ids, stop)


SCRIPTS = ["સે કૅપ વર્ડે", "निर्णय और निर्माण", "ಕನ್ನಡ", "မြန်မာ", "தமிழ்", "ภาษาไทย", "ქართული", "አማርኛ"]


@pytest.mark.parametrize("n", [12, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [*FAMILIES, *MADE])
def test_pieces_join_to_what_decode_gives(name: str, n: int) -> None:
    """Of texts, of any ids, of words whose ids are shuffled, with bytes that are no text."""
    tokenizer, rng = streamed(name), random.Random(n)
    vocab = getattr(tokenizer, "vocab", {})
    encode = getattr(tokenizer, "encode_ordinary", tokenizer.encode)
    for text in random_texts(n, n, surrogates=False):
        ids = encode(text)
        some = [rng.randrange(min(tokenizer.n_vocab, 50_000)) for _ in range(rng.randrange(12))]
        data = rng.choice(["é👍".encode(), b"\xff\xc3", b"\xf0\x9f", "请\ufffd".encode()])
        codes = [vocab[code] for code in (f"<0x{byte:02X}>" for byte in data) if code in vocab]
        at = rng.randrange(len(ids) + 1)
        mixed = encode("".join(rng.sample(SCRIPTS, 3)))
        rng.shuffle(mixed)
        every = (ids, some, mixed, mixed + some, [*ids[:at], *codes, *ids[at:], *some], codes * 5)
        for each in every:
            check_pieces(tokenizer, each, rng)


def test_each_character_comes_with_its_last_token() -> None:
    """Nothing waits that is certain: the pieces before it are all of the text."""
    ids = gpt2().encode("👍 请 café\ufffd!")
    decoder, text = StreamDecoder(gpt2()), ""
    with pytest.raises(UnknownIdError):
        decoder.feed(10**6)  # which is not among the ids then
    for i, token_id in enumerate(ids):
        text += decoder.feed(token_id)
        assert text == gpt2().decode(ids[: i + 1]).removesuffix("\ufffd")


def test_stop_strings() -> None:
    ids = [byte_id for byte in b"say abcd" for byte_id in gpt2().encode(chr(byte))]
    # What may begin a stop string waits, until it cannot be one any more.
    shown = ["s", "", "a", "y ", "", "", "abc", "d", ""]
    assert pieces_of(gpt2(), ids, ["yz", "abx"]) == shown
    # "bc" is complete first, but "abcd" begins first.
    decoder = StreamDecoder(gpt2(), stop=["bc", "abcd"])
    assert "".join(map(decoder.feed, ids)) == "say "
    assert decoder.stopped
    assert decoder.feed(ids[0]) == decoder.close() == ""
    assert "".join(pieces_of(gpt2(), ids[:-1], ["bc", "abcd"])) == "say a"


@pytest.mark.parametrize("before", ["", "<0xC3> <0xA9>", "a ▁"])
def test_ids_without_text_and_runs_of_bytes_are_decoded_once(before: str) -> None:
    """As padding at the beginning and the end, and as the rows behind a vocabulary; linear."""
    theirs = streamed("Llama 2")
    counting = mock.Mock(wraps=theirs, n_vocab=theirs.n_vocab, vocab=theirs.vocab)
    first, end, letter = (theirs.vocab[token] for token in ("<0xC3>", "<0xA9>", "a"))
    ids = [theirs.vocab[token] for token in before.split()]
    ids += [theirs.n_vocab + i for i in range(1000)] + [first] * 1000
    ids += [theirs.n_vocab] * 1000 + [end, letter, letter]
    assert "".join(pieces_of(counting, ids, [])) == theirs.decode(ids)
    assert sum(len([*call.args[0]]) for call in counting.decode.call_args_list) < 8 * len(ids)


def test_their_stream_is_wrong_where_a_run_of_bytes_is_no_text() -> None:
    """`DecodeStream` of tokenizers 0.23 has returned é when the run turns out to be no UTF-8.

    The whole run is � then, in their own `decode` too, and their stream ends in an error.
    """
    mine, theirs = both(FAMILIES["Llama 2"]())
    ids = [mine.vocab[f"<0x{byte:02X}>"] for byte in b"\xc3\xa9\xff"] + [mine.vocab["a"]]
    stream = DecodeStream(skip_special_tokens=False)
    assert [stream.step(theirs, token_id) for token_id in ids[:3]] == [None, "é", None]
    with pytest.raises(Exception, match="Invalid prefix encountered"):
        stream.step(theirs, ids[3])
    assert pieces_of(mine, ids, []) == ["", "", "", theirs.decode(ids), ""]


def test_the_streamer_of_transformers_shows_words(capsys: pytest.CaptureFixture[str]) -> None:
    """`TextStreamer` shows the text up to the last space, and never half a character."""
    streamer, shown = TextStreamer(gpt2()), []
    for token_id in gpt2().encode("Rabbits, 🐇 met"):
        streamer.put(numpy.array([token_id]))
        shown.append(capsys.readouterr().out)
    assert shown == [*[""] * 4, "Rabbits, ", "", "", "🐇 "]
