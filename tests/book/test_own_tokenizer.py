"""The chapter `own-tokenizer`: what it says of memory, and its programs for many machines."""

import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from companion.bpe import train_bpe
from companion.story import load_story

EXAMPLES = Path(__file__).parents[2] / "examples" / "shards"
TRAINING = """
import resource, sys, sysconfig
from pathlib import Path
from companion.bpe import train_bpe

paths = Path(sysconfig.get_path("stdlib")).rglob("*.py")
left_out = {"test", "tests", "idle_test", "encodings", "site-packages", "dist-packages"}
texts = [p.read_text(encoding="utf-8") for p in paths if left_out.isdisjoint(p.parts)]
assert sum(map(len, texts)) > 8_000_000
assert train_bpe(texts, 10_000).n_vocab == 10_000
unit = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module resource")
def test_10_000_ids_are_learned_from_the_standard_library_in_300_mb() -> None:
    done = subprocess.run([sys.executable, "-c", TRAINING], capture_output=True, check=True)
    assert float(done.stdout) < 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "needs"), [("datasets", "datasets"), ("ray", "ray"), ("spark", "pyspark")]
)
def test_the_steps_run_unchanged_under_each_engine(engine: str, needs: str) -> None:
    if not find_spec(needs):
        pytest.skip(f"{needs} is not installed")
    texts = load_story().split("\n\n")
    tokenizer = train_bpe(texts, 600, special_tokens=["<|endoftext|>"])
    n_ids = sum(len(tokenizer.encode(text)) + 1 for text in texts)
    program = [sys.executable, str(EXAMPLES / f"with_{engine}.py")]
    done = subprocess.run(program, capture_output=True, check=True, text=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == f"{len(texts)} texts, {n_ids} ids"


def test_the_steps_are_those_of_the_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import steps  # type: ignore[import-not-found]

    texts = load_story().split("\n\n")
    batches = [{"text": texts[:20]}, {"text": texts[20:]}]
    columns = [steps.count(batch) for batch in batches]
    rows = [
        {"word": word, "count": n}
        for found in columns
        for word, n in zip(found["word"], found["count"], strict=True)
    ]
    encode = steps.learn(rows)
    tokenizer = train_bpe(texts, steps.VOCAB_SIZE, special_tokens=["<|endoftext|>"])
    ids = [ids for batch in batches for ids in encode(batch)["ids"]]
    assert ids == [[*tokenizer.encode(text), 599] for text in texts]
    assert max(Counter(row["word"] for row in rows).values()) == len(batches)
