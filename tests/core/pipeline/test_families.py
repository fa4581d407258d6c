"""Whole tokenizers, as families of models put them together, against the library's."""

import json
import pickle
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from texts import SPACES, WORDS, random_texts
from tokenizer_files import FAMILIES, added, both, differences, library, of, trained

from companion.pipeline import Pipeline
from companion.story import SENTENCE, load_story
from companion.tokenizer import Tokenizer

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
    content = FAMILIES[family]()
    tokens = [token["content"] for token in content.get("added_tokens", [])]
    mine, theirs = both(content)
    assert isinstance(mine, Tokenizer)
    assert [*differences(mine, theirs, hard_texts(n, tokens))] == []


PUBLISHED = ("llama2-chat", "t5", "swe-gpt", "bge-large-zh", "envit5")


@N_TEXTS
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_files(name: str, n: int, published_files: Path) -> None:
    path = published_files / f"{name}.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    tokens = [token["content"] for token in content["added_tokens"][:20]]
    assert [*differences(Pipeline.from_file(path), library(content), hard_texts(n, tokens))] == []


SWITCHES = [
    added("<a>", 300, lstrip=True), added("<b>", 301, rstrip=True, special=False),
    added("ab", 302, single_word=True), added("ab c", 303, normalized=True, special=False),
    added("Xy", 304, normalized=True, single_word=True), added("  ", 305), added("ñé", 306),
    added("<a><a>", 307, lstrip=True, rstrip=True, normalized=True),
]  # fmt: skip


@pytest.mark.parametrize("normalizer", [None, of("Lowercase"), of("Prepend", prepend="▁")])
def test_switches_of_added_tokens(normalizer: Any) -> None:
    model = trained("bytes")
    vocab = {token: i for token, i in model["vocab"].items() if i < 300}
    merges = [pair for pair in model["merges"] if "".join(pair) in vocab]
    content = {
        "model": model | {"vocab": vocab, "merges": merges},
        "added_tokens": SWITCHES, "normalizer": normalizer,
        "pre_tokenizer": of("ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True),
    }  # fmt: skip
    rng = random.Random(1)
    parts = ["<a>", "<b>", "ab", "ab c", "Xy", "xy", "  ", "ñé", *" \u200d²_\x1fx"]
    texts = ["".join(rng.choices(parts, k=rng.randrange(9))) for _ in range(400)]
    assert [*differences(*both(content), texts)] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_split_added_tokens(family: str) -> None:
    """No id of an added token comes out of a text, and a text without one has the same ids."""
    content = FAMILIES[family]()
    tokens = [token["content"] for token in content.get("added_tokens", [])]
    mine = Pipeline(content)
    unknown = {mine.vocab.get(token) for token in ("<unk>", "[UNK]")}
    for text in hard_texts(60, tokens):
        ids = mine.encode(text, add_special_tokens=False, split_added_tokens=True)
        assert not ({*ids} & {*mine.added_tokens} - unknown), text
        if not any(token in text for token in tokens):
            assert ids == mine.encode(text, add_special_tokens=False)


def test_a_copy_for_a_worker_is_small() -> None:
    mine = Pipeline(FAMILIES["Llama 3"]())
    before = pickle.dumps(mine)
    ids = mine.encode(load_story())
    assert len(pickle.dumps(mine)) == len(before) < 30_000
    assert pickle.loads(before).encode(load_story()) == ids


def test_a_lone_surrogate_is_the_replacement_character() -> None:
    mine = Pipeline(FAMILIES["GPT-2"]())
    assert mine.encode("a\ud800") == mine.encode("a\ufffd")
    with pytest.raises(TypeError, match="text must be a string, not bytes"):
        mine.encode(b"a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an id must be an integer"):
        mine.decode([1.0])  # type: ignore[list-item]


def test_saved_truncation_and_padding_are_not_applied() -> None:
    content = FAMILIES["T5"]()
    cut = {"max_length": 5, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    pad = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
           "pad_type_id": 0, "pad_token": "<pad>"}  # fmt: skip
    saved = Pipeline(content | {"truncation": cut, "padding": pad})
    assert saved.encode(SENTENCE) == Pipeline(content).encode(SENTENCE)
