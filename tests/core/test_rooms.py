"""Three packages: the book's and the inspector use the companion, which uses neither."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BELOW = {"companion": set[str](), "inspector": {"companion"}, "workbook": {"companion"}}


@pytest.mark.parametrize("package", BELOW)
def test_a_package_uses_only_those_below_it(package: str) -> None:
    """In a doctest, in a function, or in code that is a text, too."""
    for path in (ROOT / package).rglob("*.py"):
        names = re.findall(r"\b(?:import|from) (\w+)", path.read_text(encoding="utf-8"))
        assert {*names} & {*BELOW} <= {package} | BELOW[package], path
