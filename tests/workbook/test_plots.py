"""What holds for all figures: they can be read, and the colours mean what they mean in the book."""

import doctest
import subprocess
import sys
import warnings
from collections.abc import Iterable
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pytest
import torch
from marks import ROLES
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle
from matplotlib.text import Text

from companion.bpe import train_bpe
from companion.embeddings import GPT2Embeddings
from companion.windows import SlidingWindows, pad_batch
from companion.wordpiece import bert_uncased
from workbook import plots

mpl.use("agg")  # no window, and the same pixels on every machine

BPE = train_bpe("low lower lowest slow", 262)
WAVES = np.cos(np.arange(64)[:, None] * 0.75 ** np.arange(64))
ROWS = np.random.default_rng(0).normal(size=(2, 40, 8))
EMBEDDINGS = GPT2Embeddings(vocab_size=50257, context_size=8, d_model=16)
LEDGER = {
    "small": {"token table": 38_597_376, "position table": 786_432, "rest": 85_056_000},
    "XL": {"token table": 80_411_200, "position table": 1_638_400, "rest": 1_475_561_600},
}

# Most as large as in the book or larger, where letters are most likely to meet.
LARGE: list[tuple[Any, ...]] = [
    ("cosines_by_distance",
     {"d = 768": WAVES, "d = 64": WAVES[:40, :32], "d = 4": WAVES[:20, :4]}),
    ("tied_parameters", LEDGER),
    ("loss_curves", {name: {0: 5.9, 50: end + 1, 100: end}
                     for name, end in (("a", 1.8), ("b", 3), ("c", 5.2))}, {"alike": 6.5}),
    ("position_similarity",
     {"before": ROWS[0], "after": ROWS[1], "in two\nlines": ROWS[0, :16]}),
    ("tokens_per_merge", BPE, {name: f"{name} lower" for name in ("slow", "low", "lowest")}),
    ("length_by_vocabulary",
     {"a": {1: 300, 2: 200, 4: 103}, "b": {1: 99, 2: 98, 4: 97}, "c": {1: 50, 2: 60, 4: 101}},
     {"one": (1, 5), "many": (4096, 50)}),
    ("tokens_by_language", {"English": "four rabbits", "emoji": "four 🐇"},
     {"words": str.split, "letters": list, "BERT": bert_uncased().tokenize}),
    ("padded_batch", pad_batch([range(99990, 100001), [5]], pad_id=0)),
    ("merge_ladder", BPE, "w" * 20),
    ("derivation_tree", BPE, "w" * 14),
    ("greedy_scan", bert_uncased(), "x" * 24),
    ("window_bricks", SlidingWindows(range(11), 9), BPE),
    ("window_coverage", [SlidingWindows(range(33), 8, 1)]),
    ("one_hot_product", [9] * 10, np.full((10, 4), -1.5)),
    ("gpt2_flow", EMBEDDINGS, torch.full((4, 8), 50256)),
    ("weights_by_distance", range(1, 2001),
     {f"1/{2**i}": np.exp(-np.arange(1, 2001) / 2**i) for i in range(1, 9)}),
]  # fmt: skip


def drawn(name: str, *arguments: Any) -> Axes:
    """Draw a figure; without arguments as its docstring draws it, as `ax`."""
    figure = getattr(plots, name)
    if arguments:
        return cast(Axes, figure(*arguments))
    (found,) = doctest.DocTestFinder(recurse=False).find(figure)
    done = doctest.DocTestRunner(verbose=False).run(found, clear_globs=False)
    assert done.attempted > 1, f"{name} needs an example that draws it as ax"
    assert not done.failed
    return cast(Axes, found.globs["ax"])


# Each figure as its docstring draws it, so that a new one needs no entry here.
EXAMPLES = [(name,) for name in plots.__all__ if callable(getattr(plots, name))]


# --- what a figure shows, read back from what was drawn -----------------------------------------


def boxes(ax: Axes) -> list[FancyBboxPatch]:
    """The rounded boxes of tokens, in the order drawn."""
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def extents(items: Iterable[Text | Patch]) -> Any:
    """The rectangles of texts or shapes, in pixels: a row of left, bottom, right and top each."""
    return np.array([item.get_window_extent().extents for item in items]).reshape(-1, 4)


def check_readable(ax: Axes) -> None:
    """No text leaves the figure or overlaps another."""
    places = extents(text for text in ax.texts if text.get_text().strip())
    low, high = places[:, :2], places[:, 2:]
    assert (low >= np.array(ax.figure.bbox.min) - 1).all()
    assert (high <= np.array(ax.figure.bbox.max) + 1).all()
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    meet = (shared > (0.7, 3.5)).all(axis=-1)
    assert not np.triu(meet, k=1).any()


def check_boxes(ax: Axes) -> None:
    """No box of a token covers another; a token is in the middle, a few pixels aside."""
    middles = np.array([text.get_window_extent().get_points().mean(axis=0) for text in ax.texts])
    places = [box.get_window_extent() for box in boxes(ax)]
    for i, place in enumerate(places):
        aside, above = abs(middles - place.get_points().mean(axis=0)).T
        inside = [ax.texts[j] for j in np.flatnonzero((aside < 2) & (above < 4.2)).tolist()]
        assert inside
        assert (np.ptp(extents(inside)[:, [0, 2]], axis=1) <= place.width).all()
        assert not any(place.overlaps(other) for other in places[:i])


def in_sight(ax: Axes) -> bool:
    """Whether no shape and no point lies outside the axes; broken lines may run out of them."""
    to_data = ax.transData.inverted()
    shapes = [patch.get_window_extent().transformed(to_data).get_points() for patch in ax.patches]
    lines = [line.get_xydata() for line in ax.lines if line.get_linestyle() in ("-", "None")]
    drawn = np.concatenate([*shapes, *lines, np.empty((0, 2))])
    low, high = np.sort(np.array([ax.get_xlim(), ax.get_ylim()])).T
    return bool((drawn >= low - 0.02).all() and (drawn <= high + 0.02).all())


def can_be_told_apart(ax: Axes) -> bool:
    """Whether all curves, and dots of one kind, look different; without names at them, in grey."""
    curves = [line for line in ax.lines if np.size(line.get_xydata()) > 4]
    looks = set()
    for line in curves:
        color = line.get_color() if len(ax.texts) >= len(curves) else ""
        marker = line.get_marker(), str(line.get_markerfacecolor()) == "white"
        dashes = str(line._unscaled_dash_pattern)  # type: ignore[attr-defined]
        looks.add((color, *marker, dashes, round(line.get_linewidth())))
    return len(looks) == len(curves)


COLORS = [getattr(plots, role.upper()) for role in (*ROLES, "ink", "muted")]


def luminance(color: Any) -> float:
    """Relative luminance as WCAG defines it."""
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(color: Any, ground: Any) -> float:
    dark, light = sorted((luminance(color), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def hidden_texts(ax: Axes) -> list[str]:
    """The texts that can hardly be read on the cell, bar or box on which they stand."""
    kinds = Rectangle, FancyBboxPatch
    patches = [p for p in ax.patches if isinstance(p, kinds) and to_rgba(p.get_facecolor())[3]]
    places, hidden = extents(patches), []
    for text in ax.texts:
        middle = text.get_window_extent().get_points().mean(axis=0)
        around = (places[:, :2] <= middle) & (middle <= places[:, 2:])
        under = np.flatnonzero(around.all(axis=1))
        ground = patches[int(under[-1])].get_facecolor() if len(under) else "white"
        if contrast(text.get_color(), ground) < 4.5:
            hidden.append(text.get_text())
    return hidden


@pytest.mark.parametrize("figure", [*LARGE, *EXAMPLES], ids=lambda figure: figure[0])
def test_a_figure_can_be_read_and_leaves_the_style_of_others_alone(figure: tuple[Any, ...]) -> None:
    """One width, every character in its fonts, no text hidden or outside."""
    before = dict(mpl.rcParams)
    ax = drawn(*figure)
    assert dict(mpl.rcParams) == before
    assert ax.figure.bbox.width == plots.WIDTH * ax.figure.dpi
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.figure.draw_without_rendering()
    written = [text for text in ax.figure.findobj(Text) if text.get_text()]
    assert all(float(text.get_fontsize()) >= 12 for text in written)
    check_readable(ax)
    check_boxes(ax)
    assert in_sight(ax)
    assert not ax.axison or can_be_told_apart(ax)
    assert hidden_texts(ax) == []


def test_plots_need_no_torch_and_exercises_no_matplotlib() -> None:
    code = "import sys; from {} import {}; assert '{}' not in sys.modules"
    for *names, needless in (("workbook", "plots", "torch"), ("workbook", "check", "matplotlib")):
        subprocess.run([sys.executable, "-c", code.format(*names, needless)], check=True)


def test_each_colour_can_be_read_on_white() -> None:
    assert [color for color in COLORS if contrast(color, "white") < 4.5] == []
