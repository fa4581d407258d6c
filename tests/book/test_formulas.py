"""Formulas are typeset when the book is built."""

import pytest
from sphinx.errors import ExtensionError

from ttv.formulas import typeset


def test_a_page_does_not_depend_on_the_pages_before_it() -> None:
    one, two = [(r"\sqrt{x}", False)], [(r"\sum_i \mathbf{a}_i", True)]
    made = typeset({"one": one, "two": two, "again": one})
    assert made["again"] == made["one"]
    assert typeset({"two": two})["two"] == made["two"]


@pytest.mark.parametrize("formula", [r"\frac{a}{", r"\nosuchmacro"])
def test_a_wrong_formula_names_itself_and_its_page(formula: str) -> None:
    with pytest.raises(ExtensionError) as caught:
        typeset({"book/words.html": [("x", False), (formula, False)]})
    assert f"book/words.html: {formula}: " in str(caught.value)
