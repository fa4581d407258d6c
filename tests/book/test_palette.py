"""One palette: figures define what the colours mean, book.css the rest, and all else repeats them.

Style sheets for print, icons and the browser's own frame cannot read book.css, so their
copies are compared with it here.
"""

import re
from pathlib import Path

import pytest
from matplotlib.colors import to_hex, to_rgb

from companion import plots

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "book" / "assets"
MEANINGS = ("token", "segment", "position", "input", "byte")
HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b", re.IGNORECASE)
FILTER = ((-0.574, 1.43, 0.144), (0.426, 0.43, 0.144), (0.426, 1.43, -0.856))
"""The rows of CSS's `hue-rotate(180deg)`."""


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def colors(css: str, selector: str) -> dict[str, str]:
    """The colours that the first rule of a selector defines, by their names."""
    block, *_ = re.findall(rf"^{re.escape(selector)} \{{\n(.*?)^\}}", css, re.MULTILINE | re.DOTALL)
    return dict(re.findall(rf"--ttv-([\w-]+): ({HEX.pattern});", block, re.IGNORECASE))


ICON = {"paper", "ink", "token", "segment", "position", "input"}
LIGHT = colors(read("book/assets/book.css"), "html")
DARK = colors(read("book/assets/book.css"), 'html[data-theme="dark"]')
PRINT = colors(read("book/assets/print.css"), "html,\nhtml[data-theme]")
IN_FIGURES = {name: getattr(plots, name.upper()) for name in MEANINGS}


def in_the_dark(color: str) -> str:
    """What `invert(1) hue-rotate(180deg)`, screened onto the dark page, makes of a colour."""
    inverted = [1 - channel for channel in to_rgb(color)]
    turned = (sum(a * b for a, b in zip(row, inverted, strict=True)) for row in FILTER)
    pairs = zip(turned, to_rgb(DARK["paper"]), strict=True)
    red, green, blue = (1 - (1 - min(max(a, 0), 1)) * (1 - b) for a, b in pairs)
    return to_hex((red, green, blue))


@pytest.mark.parametrize("name", MEANINGS)
def test_a_color_means_the_same_in_figures_and_pages_and_on_paper(name: str) -> None:
    assert LIGHT[name] == PRINT[name] == IN_FIGURES[name]
    assert DARK[name] == in_the_dark(IN_FIGURES[name])


def test_every_color_of_the_page_has_a_dark_form_and_one_for_paper() -> None:
    assert set(LIGHT) == set(DARK)
    assert set(LIGHT) - set(PRINT) == {"mark"}  # there is no search on paper, and no link target


@pytest.mark.parametrize("path", ["book/assets/book.css", "book/assets/playground/playground.css"])
def test_a_style_sheet_uses_no_color_without_a_name(path: str) -> None:
    assert not [
        line
        for line in read(path).split("\n")
        if HEX.search(line) and not re.match(rf"\s*--ttv-[\w-]+: {HEX.pattern};", line)
    ]


@pytest.mark.parametrize(
    ("path", "palette", "names"),
    [
        ("book/assets/favicon.svg", LIGHT, ICON),
        ("tools/pdf.css", PRINT, {"muted"}),
        ("tools/pdf.py", PRINT, {"muted", "token", "position", "input"}),
    ],
)
def test_copies_are_of_the_palette(path: str, palette: dict[str, str], names: set[str]) -> None:
    assert set(HEX.findall(read(path))) == {palette[name] for name in names}


def test_the_frame_of_the_browser_has_the_color_of_the_page() -> None:
    frame = re.findall(r'"theme-color" content="(\S+)"', read("book/_templates/layout.html"))
    assert frame == [LIGHT["paper"], DARK["paper"]]
