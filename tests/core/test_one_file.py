"""`examples/one_file.py` against `companion.bpe`: the same words, merges and ids, in few lines."""

import ast
import random
import runpy
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import torch
from texts import QUICK_AND_SLOW, all_characters, random_texts

import companion
from companion.bpe import GPT2_PATTERN, gpt2, train_bpe
from companion.patterns import read_pattern
from companion.story import load_story

ONE_FILE = Path(__file__).parents[2] / "examples" / "one_file.py"
VOCAB_BPE = Path(companion.__file__).with_name("data") / "vocab.bpe"
NEWER = read_pattern(r"\p{L}|\p{N}")  # of Unicode 16; Python's own tables may be older


@pytest.fixture(scope="module")
def one_file() -> dict[str, Any]:
    return runpy.run_path(str(ONE_FILE))


@pytest.fixture(scope="module")
def tokenizer(one_file: dict[str, Any]) -> Any:
    return one_file["Tokenizer"](one_file["read_merges"](VOCAB_BPE))


def known(text: str) -> str:
    """Leave out the letters and numbers that are newer than this Python."""
    return "".join(c for c in text if unicodedata.category(c) != "Cn" or not NEWER.findall(c))


def test_it_is_short_and_needs_no_library() -> None:
    lines = ONE_FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 170  # as the page says
    assert max(map(len, lines)) <= 79  # its parts are cells of a page
    tree = ast.parse("\n".join(lines))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = lines[node.lineno - 1 : node.end_lineno]
            assert sum(not line.lstrip().startswith("#") for line in body) <= 15, node.name
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.module in sys.stdlib_module_names


@QUICK_AND_SLOW
def test_the_ids_are_those_of_gpt2(tokenizer: Any, n: int) -> None:
    for text in map(known, [load_story(), *random_texts(n, 52, surrogates=False)]):
        ids = tokenizer.encode(text)
        assert ids == gpt2().encode_ordinary(text), text
        assert tokenizer.decode(ids) == text
        assert tokenizer.decode(ids[1:]) == gpt2().decode(ids[1:])


def test_each_character_has_the_kind_that_gpt2_gives_it(one_file: dict[str, Any]) -> None:
    pattern = read_pattern(GPT2_PATTERN)
    for character in filter(known, all_characters(37)):
        text = f"a{character}1{character}!{character} {character}\n"
        assert one_file["split"](text) == pattern.findall(text), ascii(character)


def test_it_learns_the_same_merges(one_file: dict[str, Any]) -> None:
    learn, split = one_file["learn"], one_file["split"]
    assert learn(split(load_story()), 300) == list(train_bpe(load_story(), 556).merges)
    rng = random.Random(52)
    for _ in range(200):  # nearly all counts are ties, and pairs run out
        text = "".join(rng.choices("ab cd's1!\né", k=rng.randrange(60)))
        assert learn(split(text), 60) == list(train_bpe(text, 316).merges), text


def test_an_id_or_a_position_without_a_row_is_named(one_file: dict[str, Any]) -> None:
    embed, tokens, positions = one_file["embed"], [[1, 2], [3, 4]], [[10, 20], [30, 40]]
    assert embed([1, 0], tokens, positions) == [[13, 24], [31, 42]]
    for ids, what in (([-1], "id -1"), ([0, 2], "id 2"), ([0, 1, 0], "position 2")):
        with pytest.raises(IndexError, match=rf"^{what} has no row"):
            embed(ids, tokens, positions)


def test_softmax_of_large_scores(one_file: dict[str, Any]) -> None:
    """As PyTorch's, also where e to the power of a score is no float."""
    for scores in ([800.0, 799.0, -800.0], [0.0, 1.0, 2.0], [-1000.0]):
        expected = torch.tensor(scores, dtype=torch.float64).softmax(0).tolist()
        assert one_file["softmax"](scores) == pytest.approx(expected)
    assert one_file["probabilities"]([800.0], [[1.0], [0.0]]) == [1.0, 0.0]


def test_as_a_program_it_shows_the_whole_way() -> None:
    shown = subprocess.check_output([sys.executable, str(ONE_FILE)], text=True, encoding="utf-8")
    tokens, ids, last = shown.splitlines()
    assert ast.literal_eval(tokens)[:3] == ["Four", " little", " Rabbits"]
    inputs, targets = (ast.literal_eval(part) for part in ids[len("inputs ") :].split(" targets "))
    assert inputs[1:] == targets[:-1]
    # Untrained, the token that comes in is the most likely to come out: they share a row.
    assert last == f"4 vectors; next may be {ast.literal_eval(tokens)[3]}"
