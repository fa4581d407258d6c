"""The chapter `own-tokenizer`: what it says of memory, and its programs for many machines."""

import subprocess
import sys
import sysconfig
import tracemalloc
from pathlib import Path

import pytest

from companion.bpe import train_bpe
from companion.story import load_story

EXAMPLES = Path(__file__).parents[2] / "examples" / "shards"
TEXTS = load_story().split("\n\n")


@pytest.mark.slow
def test_10_000_ids_are_learned_from_the_standard_library_in_300_mb() -> None:
    paths = Path(sysconfig.get_path("stdlib")).rglob("*.py")
    left_out = {"test", "tests", "idle_test", "encodings", "site-packages", "dist-packages"}
    tracemalloc.start()
    texts = [p.read_text(encoding="utf-8") for p in paths if left_out.isdisjoint(p.parts)]
    assert sum(map(len, texts)) > 8_000_000
    assert train_bpe(texts, 10_000).n_vocab == 10_000
    assert tracemalloc.get_traced_memory()[1] < 250e6  # Python itself has some 40 MB more
    tracemalloc.stop()


def ids_of_texts() -> list[list[int]]:
    tokenizer = train_bpe(TEXTS, 600, special_tokens=["<|endoftext|>"])
    return [[*tokenizer.encode(text), 599] for text in TEXTS]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["datasets", "ray", "spark"])
def test_the_steps_run_unchanged_under_each_engine(engine: str) -> None:
    pytest.importorskip(engine.replace("spark", "pyspark"))
    program = [sys.executable, str(EXAMPLES / f"with_{engine}.py")]
    printed = subprocess.check_output(program, text=True, encoding="utf-8").splitlines()
    assert printed[-1] == f"{len(TEXTS)} texts, {sum(map(len, ids_of_texts()))} ids"


def test_the_steps_are_those_of_the_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import steps  # type: ignore[import-not-found]

    batches = [{"text": TEXTS[:20]}, {"text": TEXTS[20:]}]
    encode = steps.learn(
        {"word": word, "count": n}
        for found in map(steps.count, batches)
        for word, n in zip(found["word"], found["count"], strict=True)
    )
    ids = [ids for batch in batches for ids in encode(batch)["ids"]]
    assert ids == ids_of_texts()
