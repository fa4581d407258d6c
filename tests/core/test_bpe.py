"""Byte-level BPE: by hand, over all of Unicode, and against independent implementations."""

import base64
import json
import pickle
import random
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused, refused_files
from texts import ALL_QUICK_AND_SLOW, QUICK_AND_SLOW, all_characters, random_texts
from tiktoken_ext import openai_public
from tokenizers import models, pre_tokenizers, trainers

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, BPETokenizer, gpt2, o200k, train_bpe
from companion.bpe.merges_file import format_merges
from companion.bpe.splitting import O200K_PATTERN
from companion.errors import UnknownIdError
from companion.story import load_story
from companion.tokenizer import Tokenizer
from inspector import Pipeline

END = "<|endoftext|>"


def published_gpt2(
    _: str, __: str, vocab_bpe_hash: str, encoder_json_hash: str
) -> dict[bytes, int]:
    assert sha256(format_merges(gpt2().merges)).hexdigest() == vocab_bpe_hash
    encoder = {shown(token): i for token, i in gpt2().vocab.items()} | gpt2().special_tokens
    assert sha256(json.dumps(encoder).encode()).hexdigest() == encoder_json_hash
    return gpt2().vocab


def published_o200k(_: str, expected_hash: str) -> dict[bytes, int]:
    lines = [b"%s %d\n" % (base64.b64encode(token), i) for token, i in o200k().vocab.items()]
    assert sha256(b"".join(lines)).hexdigest() == expected_hash
    return o200k().vocab


Published = tuple[BPETokenizer, tiktoken.Encoding]


@pytest.fixture(scope="module", params=[gpt2, o200k], ids=["gpt2", "o200k"])
def published(request: pytest.FixtureRequest) -> Published:
    """Ours, and what `tiktoken` makes of the published ranks: ours if they have their SHA-256."""
    with pytest.MonkeyPatch.context() as patch:
        name = "data_gym_to_mergeable_bpe_ranks"
        patch.setattr(openai_public, name, lambda **options: published_gpt2(*options.values()))
        patch.setattr(openai_public, "load_tiktoken_bpe", published_o200k)
        make = {gpt2: openai_public.gpt2, o200k: openai_public.o200k_base}[request.param]
        return request.param(), tiktoken.Encoding(**make())


Merges = list[tuple[str, str]]


def hugging_face_trained(text: list[str], vocab_size: int) -> tuple[tokenizers.Tokenizer, Merges]:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    options: Any = {"vocab_size": vocab_size, "initial_alphabet": letters, "show_progress": False}
    tokenizer.train_from_iterator(text, trainers.BpeTrainer(**options))
    return tokenizer, [(a, b) for a, b in json.loads(tokenizer.to_str())["model"]["merges"]]


def shown_merges(tokenizer: BPETokenizer) -> Merges:
    return [(shown(left), shown(right)) for left, right in tokenizer.merges]


def shown(token: bytes) -> str:
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


def test_text_between_matches_of_a_pattern_is_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = train_bpe("ab--ab--", 258, pattern=r"\w+", progress=True)
    assert "train_bpe: 100%" in capsys.readouterr().err
    assert tokenizer.merges == [(b"-", b"-"), (b"a", b"b")]
    twin = tokenizer.to_tiktoken("between")
    for text in ["ab, --ab", "--", "", "a\nb --- ab"]:
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert twin.encode(text) == tokenizer.encode(text)


@QUICK_AND_SLOW
def test_merges_and_ids_equal_those_of_tokenizers(n: int) -> None:
    rng = random.Random(7)
    texts = [load_story(), "a" * 10_000, "ab" * 4_000 + "ba" * 777]
    for text in [*texts, *random_texts(n // 2, seed=8, surrogates=False)]:
        repeated = [text, "".join(rng.choices("aab ", k=40)), text]
        size = 5_000 if text in texts else 400  # until no pair is left
        (theirs, merges), tokenizer = (
            hugging_face_trained(repeated, size),
            train_bpe(repeated, size),
        )
        assert shown_merges(tokenizer) == merges
        assert tokenizer.encode(text) == theirs.encode(text).ids


@QUICK_AND_SLOW
def test_texts_are_encoded_as_by_tiktoken(n: int, published: Published) -> None:
    tokenizer, theirs = published
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.n_vocab == theirs.n_vocab
    rng = random.Random(12)
    borders = "aAzZ éÉǅʰªاʼ'́1९ \t\n\r/.,!-_\u00a0\u3000\x1c\x85请'sſ"
    texts = ["".join(rng.choices(borders, k=rng.randrange(1, 25))) for _ in range(n)]
    for text in [*texts, *random_texts(n, seed=11, surrogates=True)]:
        ids = tokenizer.encode(text, allowed_special="all")
        assert ids == theirs.encode(text, allowed_special="all")
        assert tokenizer.decode(ids) == theirs.decode(ids)


@ALL_QUICK_AND_SLOW
@pytest.mark.parametrize("context", ["a{}B", "A{}'s", ".{}/", "A'{}e", " {}\n", "1{}1"])
def test_every_character_is_encoded_as_by_tiktoken(
    context: str, every: int, published: Published
) -> None:
    tokenizer, theirs = published
    # The quick run takes every tenth of the usual characters, many together in one text.
    texts = [context.format(c) for c in all_characters(every)[:: min(every, 10)]]
    for start in range(0, len(texts), 100):
        text = " ".join(texts[start : start + 100])
        assert tokenizer.encode(text) == theirs.encode(text)


@pytest.mark.outside_mutation
def test_long_texts_and_words(published: Published) -> None:
    for text in ["a" + " " * 80_000 + "x", "\r\n" * 40_000, "请👍é" * 30_000,
                 *("x" * n + " a" + "ab " * 3_000 for n in (4_095, 4_096, 4_097))]:  # fmt: skip
        assert published[0].encode(text) == published[1].encode(text)


@pytest.mark.slow
def test_from_tiktoken_recovers_the_merges(published: Published) -> None:
    ours, encoding = published
    tokenizer = BPETokenizer.from_tiktoken(encoding)
    assert (tokenizer.merges, tokenizer.special_tokens) == (ours.merges, ours.special_tokens)
    text = load_story() + " It's  1234 'LL\r\n\r\n x\t\t 请👍é \n"
    assert tokenizer.encode(text) == encoding.encode(text)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[BPETokenizer, list[Any]]]:
    """Tokenizers, each with two others that read its tokenizer.json."""
    specials = [END, "a b", "<e>", "<e><f>"]
    text, folder = load_story() + " né 👍", tmp_path_factory.mktemp("saved")
    found: list[tuple[BPETokenizer, list[Any]]] = []
    for pattern in (GPT2_PATTERN, O200K_PATTERN, r"\p{Lu}\p{Ll}*|\d(?=\d)"):
        # As in o200k, the ids of the special tokens need not follow those of the others.
        ids = dict(zip(specials, (700, 650, 601, 999), strict=True))
        merges = train_bpe(text, 600, pattern=pattern).merges
        ours = BPETokenizer(merges, pattern=pattern, special_tokens=ids)
        ours.save_tokenizer_json(folder / "tokenizer.json")
        theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        assert theirs.get_vocab_size() == len(ours.vocab) + len(ours.special_tokens)
        found.append((ours, [theirs, Pipeline.from_file(folder)]))
    return found


@given(st.text(st.characters() | st.sampled_from("<efa b>")) | st.sampled_from(["<e><f>", END]))
def test_a_saved_tokenizer_is_the_same_to_others(
    saved: list[tuple[BPETokenizer, list[Any]]], text: str
) -> None:
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for ours, (theirs, pipeline) in saved:
        ids = ours.encode(text, allowed_special="all")
        assert theirs.encode(text).ids == pipeline.encode(text) == ids
        assert theirs.decode(ids, skip_special_tokens=False) == pipeline.decode(ids) == text
        assert ours.decode(ids) == text


def test_texts_that_were_counted_elsewhere_give_the_same_merges() -> None:
    counted = {"low lower \ud800": 1, "lowest": 7, " low": 2, "": 1}
    texts = [text for text, times in counted.items() for _ in range(times)]
    assert train_bpe(counted, 270).merges == train_bpe(texts, 270).merges


@st.composite
def merge_lists(draw: st.DrawFn) -> list[tuple[bytes, bytes]]:
    """Any merges that are allowed, learned or not; two may make the same token."""
    tokens = [b"a", b"b", b"c"]
    merges: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(0, 8))):
        merge = draw(st.tuples(st.sampled_from(tokens), st.sampled_from(tokens)))
        if merge not in merges and len(b"".join(merge)) <= 6:
            merges.append(merge)
            if b"".join(merge) not in tokens:
                tokens.append(b"".join(merge))
    return merges


# A word that is a token is looked up only where its bytes merge to it: here abc is ab and c.
@given(merge_lists(), st.lists(st.text("abc", max_size=15), min_size=1))
@example([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")], ["abc"])
def test_any_merges_are_those_of_tokenizers_and_those_of_tiktoken_or_refused(
    merges: list[tuple[bytes, bytes]], words: list[str]
) -> None:
    tokenizer = BPETokenizer(merges)
    vocab = {shown(token): i for token, i in tokenizer.vocab.items()}
    theirs = tokenizers.Tokenizer(models.BPE(vocab, shown_merges(tokenizer)))
    others: list[Callable[[str], list[int]]] = [lambda word: theirs.encode(word).ids]
    try:
        twin = tokenizer.to_tiktoken("any")
        others += [twin.encode, BPETokenizer.from_tiktoken(twin).encode]
    except ValueError:
        tokens = [tokenizer.merge_steps(token)[-1] for token in tokenizer.vocab]
        # Refused for a reason: a token that does not stay one, or has two merges.
        assert any(len(token) > 1 for token in tokens) or len(merges) > len(tokens) - 256
    for word in words:
        ids = tokenizer.encode(word)
        assert [other(word) for other in others] == [ids] * len(others)
        assert [tokenizer.vocab[token] for token in tokenizer.merge_steps(word)[-1]] == ids


def test_a_copy_for_another_process_encodes_the_same() -> None:
    tokenizer = BPETokenizer([(b"l", b"o")], special_tokens={END: 300}, pattern=r"\w+|\W")
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert (copy.pattern, copy.n_vocab) == (tokenizer.pattern, 301)
    assert copy.encode(f"slow lo{END}", allowed_special="all") == [82, 256, 86, 220, 256, 300]


def test_special_tokens_as_in_tiktoken(published: Published) -> None:
    tokenizer, theirs = published
    text, fails = f"a word{END}{END} \n{END}b", "disallowed special token"
    options: dict[str, Any]
    for options in ({"allowed_special": {END, "unknown"}}, {"disallowed_special": ()}):
        assert tokenizer.encode(text, **options) == theirs.encode(text, **options)
    for options in ({}, {"allowed_special": {END}, "disallowed_special": {END}},
                    {"allowed_special": "all", "disallowed_special": {"word"}}):  # fmt: skip
        for encode in (theirs.encode, tokenizer.encode):
            with pytest.raises(ValueError, match=fails):
                encode(text, **options)


def test_a_shorter_special_token_is_found_where_the_longest_is_not_allowed() -> None:
    one_by_one: Any = iter(["<a>", "<a><b>", "<b>"])
    tokenizer = BPETokenizer([], special_tokens=one_by_one)
    for allowed, ids in ((["<a>", "<a><b>"], [257, 256]), (["<a>", "<b>"], [256, 258, 256])):
        options: Any = {"allowed_special": {*allowed}, "disallowed_special": ()}
        assert tokenizer.encode("<a><b><a>", **options) == ids


def test_files_go_to_tokenizers_and_come_from_it(tmp_path: Path) -> None:
    path = tmp_path / "merges.txt"
    theirs, merges = hugging_face_trained([load_story()], 500)
    theirs.model.save(str(tmp_path))
    loaded = BPETokenizer.load(str(path), pattern=r"\w+|\W", special_tokens=[END])
    assert shown_merges(loaded) == merges
    assert (loaded.pattern, loaded.special_tokens) == (r"\w+|\W", {END: 500})
    loaded.save(path)
    assert BPETokenizer.load(path).merges == loaded.merges
    path.with_name("vocab.json").write_text('{"!": 5}', encoding="utf-8")
    for start in (b"", b"#version: 0.2 - made elsewhere\r\n", b"\xef\xbb\xbf#version: 0.2\n"):
        path.write_bytes(start + b"a b\r\nab c\r\n")
        with pytest.warns(UserWarning, match=r"vocab\.json gives other ids to 258"):
            tokenizer = BPETokenizer.load(path)
        assert tokenizer.merges == [(b"a", b"b"), (b"ab", b"c")]
    ids = {shown(token): i for token, i in tokenizer.vocab.items()} | {END: 258}
    for content in (json.dumps(ids).encode(), b"{", b"\xff"):
        path.with_name("vocab.json").write_bytes(content)
        with warnings.catch_warnings(action="error"):
            assert BPETokenizer.load(path).vocab == tokenizer.vocab


test_a_damaged_file_is_refused = refused_files(
    BPETokenizer.load,
    [
        ("", "an empty file"),
        ("[PAD]\n[UNK]\n", "a vocab.txt, not a file of merges; read it with WordPieceTokenizer"),
        ("▁ t\n", "not '▁ t'; where ▁ or </w> is written, char"),
        ("#version: 0.2\na b\nab c", "does not end in a line break"),
        ("#version: 0.2\na b\n\nab c\n", "line 3 of"),
        (b"#version: 0.2\na \xff\n", "line 2 of"),
    ],
)


TRAIN: Any = train_bpe
MAKE: Any = BPETokenizer
GPT2: Any = gpt2
OVERLAP = BPETokenizer([], special_tokens=["<a>", "<a><b>", "<b>"])


def not_saved(**options: Any) -> Callable[[], None]:
    return lambda: MAKE([(b"a", b"b")], **options).save_tokenizer_json("never.json")


def from_ranks(changed: dict[bytes, int], **specials: int) -> Callable[[], BPETokenizer]:
    ranks = BPETokenizer([]).vocab | changed
    options: Any = {"pat_str": ".", "mergeable_ranks": ranks, "special_tokens": specials}
    return lambda: BPETokenizer.from_tiktoken(tiktoken.Encoding("", **options))


test_what_is_refused = refused(
    [
        (lambda: TRAIN("a", 257, special_tokens=["<a>", "<b>"]), ValueError, "at least 258"),
        (lambda: MAKE([(b"a", b"bc")]), ValueError, "merge 0 joins b'a' and b'bc', but b'bc' is"),
        (lambda: MAKE([(b"a", b"b")] * 2), ValueError, "merge 1 joins b'a' and b'b', as"),
        (lambda: MAKE([], special_tokens={"<a>": 255}), ValueError, "'<a>' is 255, which a byte"),
        (from_ranks({b"abc": 256}), ValueError, "token 256, b'abc', does not come from a merge"),
        (from_ranks({b"ab": 257}), ValueError, "token b'ab' has the id 257, but no token has the "),
        (from_ranks({b"a": 65, b"b": 64}), ValueError, "token 64 must be b'a'"),
        (from_ranks({}, end=5), ValueError, "the special token 'end' shares its id"),
        (lambda: TRAIN("a", 300, pattern=r"\w*"), ValueError, "matches the empty"),
        (lambda: OVERLAP.to_tiktoken("no"), ValueError, "special token '<a>' begins '<a><b>'"),
        (lambda: OVERLAP.encode("<a><b>"), ValueError, "token '<a><b>' at character 0"),
        (not_saved(special_tokens=["ab"]), ValueError, "writes the token b'ab' as 'ab', so no"),
        (not_saved(special_tokens=["éĠ"]), ValueError, "the bytes b'\\xe9 ' as 'éĠ', so no"),
        (not_saved(pattern=r"\w+"), ValueError, r"in another way than tiktoken; write \p{L}"),
        (lambda: MAKE([], special_tokens=["<👍>"]).encode("<\ud83d\udc4d>"), ValueError,
         "the disallowed special token '<👍>' at character 0"),
        (lambda: GPT2().encode("a", allowed_special=END), TypeError, f"write {{'{END}'}}"),
        (lambda: o200k().decode([199998]), UnknownIdError, "id 199998 is not in"),  # a gap
    ]
)  # fmt: skip
