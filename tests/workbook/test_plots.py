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
from companion.positions import rotate
from companion.windows import SlidingWindows, pad_batch
from companion.wordpiece import bert_uncased
from workbook import plots
from workbook.plots import _drawing

mpl.use("agg")  # no window, and the same pixels on every machine

BPE = train_bpe("low lower lowest slow", 262)
WAVES = np.cos(np.arange(64)[:, None] * 0.75 ** np.arange(64))
SHARES = {0.01: (0.0, 1.0), 0.1: (0.6, 1.0), 1.0: (1.0, 0.97), 4.0: (1.0, 0.33)}
PLACES = np.arange(10)
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
    ("cosines_by_width", {4: WAVES[:, 0], 64: WAVES[:, 1] / 4, 768: WAVES[:, 2] / 16}),
    ("recovery_by_scale", SHARES, {"0.02": 0.02, "1/√d": 768**-0.5, "1": 1.0}),
    ("tied_parameters", LEDGER),
    ("gradient_step", *ROWS[:, :3, :2], ["read", "no", "yes"]),
    ("loss_curves", {name: {0: 5.9, 50: end + 1, 100: end}
                     for name, end in (("a", 1.8), ("b", 3), ("c", 5.2))}, {"alike": 6.5}),
    ("position_similarity",
     {"before": ROWS[0], "after": ROWS[1], "in two\nlines": ROWS[0, :16]}),
    ("bucket_stairs", PLACES,
     {"encoder, both sides": PLACES // 2, "decoder, before": 9 - PLACES}),
    ("products_by_distance", PLACES,
     {f"to the power of {power}": 0.9 ** (power * PLACES) for power in range(4)}),
    ("tokens_per_merge", BPE, {name: f"{name} lower" for name in ("slow", "low", "lowest")}),
    ("length_by_vocabulary",
     {"a": {1: 300, 2: 200, 4: 103}, "b": {1: 99, 2: 98, 4: 97}, "c": {1: 50, 2: 60, 4: 101}},
     {"one": (1, 5), "many": (4096, 50)}),
    ("tokens_by_language", {"English": "four rabbits", "emoji": "four 🐇"},
     {"words": str.split, "letters": list, "BERT": bert_uncased().tokenize}),
    ("padded_batch", pad_batch([range(99990, 100001), [5]], pad_id=0)),
    ("merge_ladder", BPE, "w" * 20),
    ("derivation_tree", BPE, "w" * 14),
    ("utf8_layout", "A🙂"),
    ("greedy_scan", bert_uncased(), "x" * 24),
    ("window_bricks", SlidingWindows(range(11), 9), BPE),
    ("window_coverage", [SlidingWindows(range(33), 8, 1)]),
    ("one_hot_product", [9] * 10, np.full((10, 4), -1.5)),
    ("table_gradient", [0] * 10, np.ones((10, 1)), [[10]]),
    ("gpt2_flow", EMBEDDINGS, torch.tensor([[50256]])),
    ("gpt2_flow", EMBEDDINGS, torch.full((4, 8), 50256)),
    ("two_orders", ["token"] * 4, [3, 2, 1, 0], np.eye(4), 2 * np.eye(4)),
    ("change_by_depth", ["a"] * 10, (8, 9), {"one": np.ones((2, 10)), "two": np.zeros((1, 10))}),
    ("weights_by_distance", range(1, 2001),
     {f"1/{2**i}": np.exp(-np.arange(1, 2001) / 2**i) for i in range(1, 9)}),
    ("rotating_pairs", rotate(torch.ones(2, 2))),
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
    looks = {
        (
            line.get_color() if len(ax.texts) >= len(curves) else "",
            str(line._unscaled_dash_pattern),  # type: ignore[attr-defined]
            round(line.get_linewidth()),
            line.get_marker(),
            str(line.get_markerfacecolor()) == "white",
        )
        for line in curves
    }
    return len(looks) == len(curves)


PALETTE = [_drawing.GRID, *(getattr(plots, role.upper()) for role in ROLES)]


def is_of_the_palette(color: Any) -> bool:
    """Whether a colour is one of the book's, or lies between one and white."""
    *channels, alpha = to_rgba(color)
    shares = [(1 - np.array(channels)) / (1 - np.array(to_rgb(own))) for own in PALETTE]
    return alpha == 0 or any(np.ptp(share) < 1e-3 and share[0] < 1.001 for share in shares)


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
    places = extents(patches)
    hidden = []
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
    """One width, every character in its fonts, known colours, no text hidden or outside."""
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
    marks: list[Any] = [*ax.texts, *ax.lines]
    colors = {to_rgba(each.get_color()) for each in marks}
    colors |= {to_rgba(c) for p in ax.patches for c in (p.get_facecolor(), p.get_edgecolor())}
    assert [color for color in colors if not is_of_the_palette(color)] == []


def test_a_word_that_cannot_be_read_is_one_unknown_token() -> None:
    ax = plots.greedy_scan(bert_uncased(), "qué🙂")
    assert [label.get_text() for label in ax.texts] == [*"qué🙂", "[UNK]", "unknown"]
    (token,), columns = boxes(ax), [letter.get_position()[0] for letter in ax.texts[:4]]
    assert token.get_x() < columns[0] < columns[-1] < token.get_x() + token.get_width()


def test_a_figure_is_found_in_the_module_of_its_chapter_without_torch() -> None:
    code = "import sys; from {} import {}; assert '{}' not in sys.modules"
    for *names, needless in (("workbook", "plots", "torch"), ("workbook", "check", "matplotlib")):
        subprocess.run([sys.executable, "-c", code.format(*names, needless)], check=True)
    assert plots.vocabulary_growth.__module__ == "workbook.plots.words"
    assert len(plots.__all__) == len(set(plots.__all__)) > 40


@pytest.mark.parametrize("role", ROLES)
def test_each_colour_can_be_read_on_white(role: str) -> None:
    assert contrast(getattr(plots, role.upper()), "white") >= 4.5
