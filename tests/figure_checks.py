"""What a figure shows, read back from what was drawn; and what can be asked of any figure."""

from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Patch, Rectangle
from matplotlib.text import Text

mpl.use("agg")  # no window, and the same pixels on every machine


def points(line: Any) -> list[list[float]]:
    found: list[list[float]] = np.asarray(line.get_xydata()).tolist()
    return found


def cells(ax: Axes) -> list[Rectangle]:
    """The cells or bars, in the order drawn."""
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


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
    """No box of a token covers another; a token is in the middle, a few pixels (of 630) aside."""
    middles = np.array([text.get_window_extent().get_points().mean(axis=0) for text in ax.texts])
    places: list[Any] = []
    for box in boxes(ax):
        place = box.get_window_extent()
        aside, above = abs(middles - place.get_points().mean(axis=0)).T
        inside = np.flatnonzero((aside < 2) & (above < 4.2)).tolist()
        assert inside
        assert (
            np.ptp(extents(ax.texts[i] for i in inside)[:, [0, 2]], axis=1) <= place.width
        ).all()
        assert not any(place.overlaps(other) for other in places)
        places.append(place)


def in_sight(ax: Axes) -> bool:
    """Whether no shape and no point lies outside the axes; broken lines may run out of them."""
    to_data = ax.transData.inverted()
    shapes = [patch.get_window_extent().transformed(to_data).get_points() for patch in ax.patches]
    lines = [points(line) for line in ax.lines if line.get_linestyle() in ("-", "None")]
    drawn = np.concatenate([*shapes, *lines, np.empty((0, 2))])
    limits = np.sort(np.array([ax.get_xlim(), ax.get_ylim()]))
    return bool((drawn >= limits[:, 0] - 0.02).all() and (drawn <= limits[:, 1] + 0.02).all())


def can_be_told_apart(ax: Axes) -> bool:
    """Whether all curves, and dots of one kind, look different."""
    curves = [line for line in ax.lines if len(points(line)) > 2]
    looks = {
        (line.get_color(), str(line._unscaled_dash_pattern), str(line.get_markerfacecolor()))  # type: ignore[attr-defined]
        for line in curves
    }
    return len(looks) == len(curves)
