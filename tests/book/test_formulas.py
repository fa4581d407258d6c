"""Formulas are typeset when the book is built."""

import pytest
from sphinx.errors import ExtensionError

from ttv.formulas import formulas_of, typeset, with_formulas

INLINE = r'<span class="math notranslate nohighlight">\(a &lt; b\)</span>'
NUMBERED = (
    '<div class="math notranslate nohighlight" id="equation-x">\n'
    '<span class="eqno">(1)<a href="#equation-x">#</a></span>\\[\\frac{a}{b}\\]</div>\n'
)
BARE = '<div class="amsmath math notranslate nohighlight">\n\\begin{align} a \\end{align}</div>'
PAGE = f"<head></head><p>{INLINE},</p>{NUMBERED}{BARE}"


def test_each_formula_of_a_page_is_found_and_replaced() -> None:
    formulas = formulas_of(PAGE)
    assert formulas == [
        ("a < b", False), (r"\frac{a}{b}", True), (r"\begin{align} a \end{align}", True),
    ]  # fmt: skip
    made = typeset({"page": formulas})["page"]
    html = with_formulas(PAGE, made["formulas"], made["style"])
    assert formulas_of(html) == []
    assert html.count("<mjx-container") == 3
    assert "<mo>&lt;</mo>" in html
    assert '<span class="eqno">(1)<a href="#equation-x">#</a></span><mjx-container' in html
    assert html.index("mjx-frac {") < html.index("</head>")


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
