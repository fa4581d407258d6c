"""The figures of the chapter `bytes` show what UTF-8 says."""

import itertools

import matplotlib as mpl
import pytest

mpl.use("agg")

from figure_checks import is_centred
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from companion import plots
from companion.plots._drawing import tint

CHARACTERS = "Aé请👍"


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[Rectangle]:
    """The cells of the bits, row by row from left to right, without the two of the legend."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return sorted(found[2:], key=lambda cell: (-cell.get_y(), cell.get_x()))


def bits_in(ax: Axes) -> list[str]:
    """The bit that stands in the middle of each of the cells."""
    written = {
        (round(x, 6), round(y, 6)): label.get_text()
        for label in ax.texts
        for x, y in [label.get_position()]
    }
    return [
        written[round(cell.get_center()[0], 6), round(cell.get_center()[1], 6)]
        for cell in cells(ax)
    ]


def test_utf8_layout_writes_each_bit_of_each_byte() -> None:
    ax = plots.utf8_layout(CHARACTERS)
    expected = "".join(f"{byte:08b}" for byte in CHARACTERS.encode())
    assert "".join(bits_in(ax)) == expected
    assert len(expected) == 8 * (1 + 2 + 3 + 4)


@pytest.mark.parametrize("character", CHARACTERS)
def test_utf8_layout_white_bits_are_the_code_point(character: str) -> None:
    ax = plots.utf8_layout(character)
    payload = [
        bit
        for bit, cell in zip(bits_in(ax), cells(ax), strict=True)
        if same_color(cell.get_facecolor(), "white")
    ]
    assert len(payload) == {1: 7, 2: 11, 3: 16, 4: 21}[len(character.encode())]
    assert int("".join(payload), 2) == ord(character)


@pytest.mark.parametrize(
    ("character", "markers"),
    [
        ("A", ["0"]),
        ("é", ["110", "10"]),
        ("请", ["1110", "10", "10"]),
        ("👍", ["11110", *["10"] * 3]),
    ],
)
def test_utf8_layout_dark_bits_are_the_markers(character: str, markers: list[str]) -> None:
    ax = plots.utf8_layout([character])
    dark = [
        bit if same_color(cell.get_facecolor(), plots.BYTE) else " "
        for bit, cell in zip(bits_in(ax), cells(ax), strict=True)
    ]
    assert "".join(dark).split() == markers


def test_utf8_layout_marks_differ_by_weight_too() -> None:
    labels = [label for label in plots.utf8_layout("é").texts if label.get_text() in "01"]
    weights = {label.get_color(): label.get_fontfamily()[0] for label in labels}
    assert len(set(weights.values())) == len(weights) == 2


def test_utf8_layout_names_character_code_point_and_bytes_in_order() -> None:
    written = [text for text in texts(plots.utf8_layout(CHARACTERS)) if text not in ("0", "1")]
    assert written[2:] == [
        *("A", "U+0041", "41"),
        *("é", "U+00E9", "C3", "A9"),
        *("请", "U+8BF7", "E8", "AF", "B7"),
        *("👍", "U+1F44D", "F0", "9F", "91", "8D"),
    ]


def test_utf8_layout_explains_dark_and_white_bits() -> None:
    ax = plots.utf8_layout("é")
    swatches = [patch for patch in ax.patches if isinstance(patch, Rectangle)][:2]
    assert same_color(swatches[0].get_facecolor(), plots.BYTE)
    assert same_color(swatches[1].get_facecolor(), "white")
    meanings = ax.texts[1:4:2]
    assert [label.get_text() for label in meanings] == [
        "marks the kind of byte",
        "carries the number",
    ]
    for swatch, meaning, bit in zip(swatches, meanings, ax.texts[:4:2], strict=True):
        x, y = meaning.get_position()
        right = swatch.get_x() + swatch.get_width()
        assert right < x < right + 0.2
        assert y == swatch.get_center()[1]
        assert bit.get_text() == "1"
        assert bit.get_position() == pytest.approx(swatch.get_center())
        assert y > max(cell.get_y() + cell.get_height() for cell in cells(ax))


def test_utf8_layout_bits_are_inside_their_cells_and_in_the_colour_of_their_kind() -> None:
    ax = plots.utf8_layout("é")
    bits = {label.get_position(): label for label in ax.texts}
    for cell in cells(ax):
        (bit,) = (bits[place] for place in bits if place == pytest.approx(cell.get_center()))
        dark = same_color(cell.get_facecolor(), plots.BYTE)
        assert same_color(bit.get_color(), "white" if dark else plots.INK)
        assert same_color(cell.get_edgecolor(), plots.BYTE)
        assert is_centred(bit, cell)


def test_utf8_layout_stays_inside_the_figure() -> None:
    ax = plots.utf8_layout("🙂")
    assert max(cell.get_x() + cell.get_width() for cell in cells(ax)) <= plots.WIDTH


SAMPLES = {"Thai": "กขค", "emoji": "🙂", "English": "cat", "Chinese": "四只", "French": "été"}


def test_bytes_per_character_sorts_and_keeps_ties_in_order() -> None:
    ax = plots.bytes_per_character(SAMPLES)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["English", "French", "Thai", "Chinese", "emoji"]
    top, bottom = ax.get_ylim()[1], ax.get_ylim()[0]
    assert top < 0 < bottom  # the first bar is the uppermost


def test_bytes_per_character_bars_and_numbers_are_the_truth() -> None:
    ax = plots.bytes_per_character(SAMPLES)
    names = [label.get_text() for label in ax.get_yticklabels()]
    numbers = texts(ax)[3:]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(bars) == len(names) == len(SAMPLES)
    for i, (name, bar) in enumerate(zip(names, bars, strict=True)):
        text = SAMPLES[name]
        rate = len(text.encode()) / len(text)
        assert bar.get_width() == pytest.approx(rate)
        assert bar.get_y() + bar.get_height() / 2 == pytest.approx(i)
        shown = numbers[3 * i : 3 * i + 3]
        assert shown == [f"{rate:.2f}", str(len(text)), str(len(text.encode()))]


def test_bytes_per_character_begins_its_bars_at_zero_and_hides_none() -> None:
    ax = plots.bytes_per_character(SAMPLES)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert ax.get_xlim()[0] == 0
    bottom, top = ax.get_ylim()
    assert top < bars[0].get_y()
    assert bars[-1].get_y() + bars[-1].get_height() < bottom < len(bars)
    for above, below in itertools.pairwise(bars):
        assert above.get_y() + above.get_height() < below.get_y()
    assert {bar.get_facecolor() for bar in bars} == {(*tint(plots.BYTE, 0.75), 1)}
    assert list(ax.get_xticks()) == []  # the numbers stand beside the bars


def test_bytes_per_character_counts_code_points() -> None:
    ax = plots.bytes_per_character({"family": "👨\u200d👩\u200d👧\u200d👦"})
    assert texts(ax)[3:] == ["3.57", "7", "25"]


@pytest.mark.filterwarnings("error:Glyph")
def test_figures_have_a_glyph_for_every_character() -> None:
    # Each function draws once before it returns, and matplotlib warns of a glyph it lacks.
    plots.utf8_layout(CHARACTERS)
    plots.bytes_per_character(SAMPLES)
