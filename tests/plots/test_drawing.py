"""The parts that the figures share stand where they are told, in the colours they are told."""

from typing import Any

from matplotlib import font_manager
from matplotlib.colors import same_color

from companion import plots
from companion.plots import _drawing


def test_new_axes_are_in_the_style_of_the_book() -> None:
    with _drawing.axes(height=2) as ax:
        ax.set(xlabel="x", xticks=[0, 1])
    figure: Any = ax.figure
    assert list(figure.get_size_inches()) == [plots.WIDTH, 2]
    assert same_color(figure.get_facecolor(), "white")
    assert not ax.spines["top"].get_visible()
    # Also what is made late, when it is first drawn.
    (tick, _) = ax.get_xticklabels()
    assert same_color(tick.get_color(), plots.INK)
    assert tick.get_fontfamily() == _drawing.SANS


def test_the_fonts_of_the_figures_are_known() -> None:
    _drawing.load_fonts()
    known = {font.name for font in font_manager.fontManager.ttflist}
    assert {*_drawing.BOLD, *_drawing.MONO, *_drawing.LATIN_EXTENDED} <= known
