"""Three packages: the book's and the inspector use the companion, which uses neither."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"companion", "inspector", "workbook"}
ALLOWED = {"companion": set[str](), "inspector": {"companion"}, "workbook": {"companion"}}


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_a_package_uses_only_those_below_it(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code)):
            text = node.value if isinstance(node, ast.Constant) else ""  # a doctest, a later import
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            lines = [line.split() for line in str(text).splitlines()]
            names += [w for line in lines for a, w in pairwise(line)
                      if a in ("import", "from")]  # fmt: skip
            tops = {name.partition(".")[0] for name in names} & PACKAGES
            assert tops <= {package} | ALLOWED[package], f"{path.relative_to(ROOT)}: {tops}"
