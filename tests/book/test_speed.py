"""The page of measured speed says what the benchmarks found."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = (ROOT / "book" / "speed.md").read_text(encoding="utf-8").split("---\n", 2)[2]
NUMBER = r"\d[\d,.]*(?<=\d)"
# Numbers of the text that nobody measured: an example, sizes of pieces, the width of GPT-2.
CHOSEN = {"2", "2,000", "4,000", "768"}


def test_every_number_of_the_text_stands_in_a_table() -> None:
    """A ratio of the text may be that of a table with fewer digits."""
    tables = "".join(path.read_text(encoding="utf-8") for path in RESULTS.glob("*.md"))
    prose = re.sub(r"^```.*?^```$|`[^`]*`|GPT-2|base64", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    ratios = [float(ratio) + 1e-9 for ratio in re.findall(r" (\d+\.\d+) (?=\|)", tables)]
    rounded = {f"{ratio:.{n}f}".removesuffix(".0") for ratio in ratios for n in (0, 1)}
    assert set(re.findall(NUMBER, prose)) - rounded - set(re.findall(NUMBER, tables)) <= CHOSEN


def test_every_benchmark_is_on_the_page_with_its_tables() -> None:
    programs = {p.stem for p in (ROOT / "benchmarks").glob("*.py") if p.name[0] != "_"}
    assert set(re.findall(r"python benchmarks/(\w+)\.py", PAGE)) == programs
    assert set(re.findall(r"benchmarks/results/(\w+)\.md", PAGE)) == programs
