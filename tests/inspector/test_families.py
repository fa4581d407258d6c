"""Whole tokenizers, as families of models put them together, against the library's."""

import json
import pickle
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tokenizer_files as files
from texts import SPACES, WORDS, random_texts
from tokenizer_files import FAMILIES, added, both, bytes_of, differences, of, sequence, template

from companion.story import SENTENCE, load_story
from companion.tokenizer import Tokenizer
from inspector import Pipeline, inspect_tokenizer

N_TEXTS = pytest.mark.parametrize("n", [60, pytest.param(2_000, marks=pytest.mark.slow)])


def hard_texts(n: int, tokens: Sequence[str]) -> list[str]:
    """Return texts that hold added tokens, with all that may stand beside them."""
    rng = random.Random(n)
    parts = [*WORDS, *SPACES, *tokens, *tokens, *"▁aĠ_", "  ", "\r\n", " do not", "<0x41>"]
    mixed = ["".join(rng.choices(parts, k=rng.randrange(1, 14))) for _ in range(n)]
    # What is newer than the library's tables of marks and forms is left out.
    plain = [t for t in random_texts(n, 1, surrogates=False) if max(t, default="a") < "\u0530"]
    return ["", " ", "\n", SENTENCE, load_story()[:999], *mixed, *plain]


@N_TEXTS
@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: str, n: int) -> None:
    """The ids are the library's; with split added tokens, none of an added token is among them."""
    content = FAMILIES[family]()
    tokens = [token["content"] for token in content["added_tokens"]]
    mine, theirs = both(content)
    assert isinstance(mine, Tokenizer)
    texts = hard_texts(n, tokens)
    assert [*differences(mine, theirs, texts)] == []
    unknown = {mine.vocab.get(token) for token in ("<unk>", "[UNK]")}
    for text in texts:
        ids = mine.encode(text, add_special_tokens=False, split_added_tokens=True)
        assert not ({*ids} & {*mine.added_tokens} - unknown), text
        if not any(token in text for token in tokens):
            assert ids == mine.encode(text, add_special_tokens=False)


PUBLISHED = {  # and what is found in them
    "llama2-chat": "control-not-special forgeable decode-changes prefix-space",
    "t5": "saved-truncation saved-padding forgeable unreachable lossy decode-changes prefix-space",
    "swe-gpt": "forgeable",
    "bge-large-zh": "forgeable lossy decode-changes",
    "envit5": "lossy decode-changes prefix-space",
}  # fmt: skip


@N_TEXTS
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files(name: str, n: int, published_files: Path, tmp_path: Path) -> None:
    """The ids are the library's, and those of the older files that were published beside."""
    path = published_files / f"{name}.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    texts = hard_texts(n, [token["content"] for token in content["added_tokens"][:20]])
    mine = Pipeline.from_file(path)
    assert [*differences(mine, files.library(content), texts)] == []
    assert [each.code for each in inspect_tokenizer(path)] == PUBLISHED[name].split()
    beside = {p.name.removeprefix(f"{name}-"): p for p in published_files.glob(f"{name}-*")}
    if beside:
        files.write(tmp_path, {file: p.read_bytes() for file, p in beside.items()})
        older = Pipeline.from_file(tmp_path)
        # Of the added tokens, the older files name fewer.
        for text in (text for text in texts if "<" not in text):
            assert older.encode(text) == mine.encode(text)


SWITCHES = [
    added("<a>", 300, lstrip=True), added("<b>", 301, rstrip=True, special=False),
    added("ab", 302, single_word=True), added("ab c", 303, normalized=True, special=False),
    added("Xy", 304, normalized=True, single_word=True), added("  ", 305), added("ñé", 306),
    added("<a><a>", 307, lstrip=True, rstrip=True, normalized=True),
]  # fmt: skip


FINDERS = [
    *(of("BPE", vocab={"a": 0, "b": 1, "ab": 2, "abb": 3}, merges=["a b", "ab b"], ignore_merges=on)
      for on in (False, True)),
    of("WordPiece", vocab={"[UNK]": 0, "a": 1, "ab": 2, "##b": 3}, unk_token="[UNK]"),
    of("WordLevel", vocab={"[UNK]": 0, "a": 1, "ab": 2}, unk_token="[UNK]"),
    of("Unigram", vocab=[["<unk>", 0.0], ["a", -1.0], ["ab", -0.1], ["b", -1.0]], unk_id=0),
]  # fmt: skip


@pytest.mark.parametrize("model", FINDERS)
def test_no_model_finds_an_added_token_in_split_text(model: Any) -> None:
    mine = Pipeline({"model": model, "added_tokens": [added("ab", 2)]})
    for text in ("ab", "abb", "aabab"):
        assert 2 in mine.encode(text)
        assert 2 not in mine.encode(text, split_added_tokens=True)


MODEL = files.trained("bytes")
SMALL = {
    "vocab": {token: i for token, i in MODEL["vocab"].items() if i < 300},
    "merges": [(a, b) for a, b in MODEL["merges"] if MODEL["vocab"][a + b] < 300],
}
FIRST = {
    "pre_tokenizer": of("Metaspace", replacement="▁", prepend_scheme="first", split=True),
    "model": files.trained("BPE"),
}
MIXED = of("Unigram", unk_id=0, vocab=[  # an unknown x costs 30.5, and its other cut 31
    ["<unk>", -1.0], ["ab", -1.0], ["xa", -10.5], ["b", -20.5], ["\u3070", -1.0], ["\u306f", -1.0],
])  # fmt: skip
# A word that follows what a stage drops or puts in front; ids after one that the model has; the
# switches.
CORNERS: list[Any] = [
    *({"normalizer": normalizer, **FIRST}
      for normalizer in (None, of("ByteLevel"), of("Prepend", prepend="▁"))),
    {"model": FIRST["model"],
     "pre_tokenizer": sequence(pretokenizers=[FIRST["pre_tokenizer"], of("Whitespace")])},
    {**FIRST, "added_tokens": [added("Xy", 700, normalized=True)]},
    {"normalizer": of("Precompiled", precompiled_charsmap=files.charsmap()), "model": MIXED},
    {"normalizer": of("Precompiled", precompiled_charsmap=files.charsmap()), **FIRST},
    *({"normalizer": sequence(normalizers=each), **FIRST}
      for each in ([of("Nmt"), of("NFC")], [files.replace("x", "\x01"), of("Nmt")])),
    {"normalizer": files.replace("zz", "y"), "model": MODEL | {"unk_token": "<unk>"},
     "pre_tokenizer": bytes_of(add_prefix_space=True, use_regex=True)},
    {"model": of("WordLevel", vocab={"a": 0, "b": 10}, unk_token="a"),
     "added_tokens": [added("x", 2), added("b", 10), added("y", 3)],
     "post_processor": template("b:0 A:1 a:3", "B:7 b:0 A:1", {"a": 0, "b": 10})},
    {"model": MODEL, "post_processor": of("BertProcessing", sep=["in", 5], cls=["a", 6])},
    *({"normalizer": each, "model": MODEL | SMALL, "added_tokens": SWITCHES,
       "pre_tokenizer": bytes_of(use_regex=True)}
      for each in (None, of("Lowercase"), of("Prepend", prepend="▁"))),
]  # fmt: skip


@pytest.mark.parametrize("content", CORNERS)
def test_corners(content: Any) -> None:
    texts = [
        "a", " a", "\x01a", "\x01\x02b a", "\x7fin", "\x0bin in", "x", "bxy", "\x00a", "\u3000a",
        "\n\u3000in a", "xab", "\u306f\u3099", "e\u0301",
    ]  # fmt: skip
    rng = random.Random(1)
    parts = ["<a>", "<b>", "ab", "ab c", "Xy", "xy", "  ", "ñé", *" \u200d²_\x1fx"]
    texts += ["".join(rng.choices(parts, k=rng.randrange(9))) for _ in range(400)]
    assert [*differences(*both(content), texts)] == []


def test_what_prints_shows_the_stages() -> None:
    for family in FAMILIES:
        shown = repr(Pipeline(FAMILIES[family]()))
        assert re.findall(r"(?m)^  (\w+): ", shown) == [*Pipeline.STAGES]
        assert not re.search(r"0x[0-9a-f]{6,}", shown)


def test_a_copy_for_a_worker_is_small() -> None:
    mine = Pipeline(FAMILIES["Llama 3"]())
    ids = mine.encode(load_story())
    assert len(copy := pickle.dumps(mine)) < 30_000
    assert pickle.loads(copy).encode(load_story()) == ids


def test_a_lone_surrogate_is_the_replacement_character() -> None:
    mine = Pipeline(FAMILIES["GPT-2"]())
    assert mine.encode("a\ud800") == mine.encode("a\ufffd")
