"""`examples/one_file.py`: the words, merges and ids of `companion.bpe`, and rows that learn."""

import ast
import random
import re
import runpy
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
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
    code = ONE_FILE.read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 190
    assert max(map(len, code.splitlines())) <= 79  # its parts are cells of a page
    functions = [f for f in ast.walk(ast.parse(code)) if isinstance(f, ast.FunctionDef)]
    assert max((f.end_lineno or 0) - f.lineno for f in functions) < 17
    assert {*re.findall(r"(?m)^ *(?:import|from) (\w+)", code)} <= sys.stdlib_module_names


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


def test_an_id_or_a_position_without_a_row_is_refused(one_file: dict[str, Any]) -> None:
    rows, places = [[1.0, 2.0], [3.0, 4.0]], [[0.5, 0.0], [0.0, 0.5], [9.0, 9.0]]
    assert one_file["embed"]([1, 0], rows, places) == [[3.5, 4.0], [1.0, 2.5]]
    for ids, named in (([0, 2], "id 2,"), ([-1], "id -1,"), ([0, 1, 0, 1], "position 3$")):
        with pytest.raises(IndexError, match=named):
            one_file["embed"](ids, rows, places)


def test_a_step_is_one_of_gradient_descent(one_file: dict[str, Any]) -> None:
    assert one_file["softmax"]([800.0, 0.0]) == [1.0, 0.0]  # no score is too large
    torch = pytest.importorskip("torch")
    draw = random.Random(6)
    both = [[[draw.gauss(0, 0.5) for _ in range(3)] for _ in range(4)] for _ in range(2)]
    tables = [torch.tensor(rows, dtype=torch.float64, requires_grad=True) for rows in both]
    loss = torch.nn.functional.cross_entropy(tables[1] @ tables[0][2], torch.tensor(1))
    loss.backward()
    assert one_file["step"](2, 1, *both, 0.3) == pytest.approx(loss.item())
    for rows, table in zip(both, tables, strict=True):
        assert rows == [pytest.approx(row) for row in (table - 0.3 * table.grad).tolist()]


def shown_by(*arguments: object) -> list[str]:
    command = [sys.executable, str(ONE_FILE), *map(str, arguments)]
    return subprocess.check_output(command, text=True, encoding="utf-8").splitlines()


def test_as_a_program_it_trains_rows_and_the_names_of_the_story_find_each_other() -> None:
    shown = shown_by(VOCAB_BPE.with_name("story.txt"))
    first, *_, last = [float(line.removeprefix("loss ")) for line in shown[:5]]
    assert first > 5.5 > 3.8 > last
    near = {token: others for token, *others in map(ast.literal_eval, shown[5:-1])}
    assert {*near[" Clover"]} == {" Bramble", " Pip", " Thistle"}
    assert shown[-1].startswith("In the green")


def test_as_a_program_it_takes_any_text(tmp_path: Path) -> None:
    assert shown_by()[4] < "loss 0.1"  # its own first line, learned by heart
    (tmp_path / "short.txt").write_text("a b", encoding="utf-8")
    assert shown_by(tmp_path / "short.txt")[-1].startswith("a b")
