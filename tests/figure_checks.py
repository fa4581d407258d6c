"""What can be asked of any figure."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.text import Text


def check_readable(ax: Axes) -> None:
    """No text leaves the figure or overlaps another."""
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text().strip()]
    limit = ax.figure.bbox
    for i, box in enumerate(boxes):
        assert limit.x0 - 1 <= box.x0
        assert box.x1 <= limit.x1 + 1
        assert limit.y0 - 1 <= box.y0
        assert box.y1 <= limit.y1 + 1
        for other in boxes[:i]:
            assert not (
                min(box.x1, other.x1) - max(box.x0, other.x0) > 1
                and min(box.y1, other.y1) - max(box.y0, other.y0) > 5
            )


def is_centred(label: Text, patch: Patch) -> bool:
    """Whether a text is drawn in the middle of a cell or box, a few pixels (of 900) aside."""
    inner, outer = label.get_window_extent(), patch.get_window_extent()
    aside = abs(inner.x0 + inner.x1 - outer.x0 - outer.x1) / 2
    above = abs(inner.y0 + inner.y1 - outer.y0 - outer.y1) / 2
    return bool(aside < 3 and above < 6)


def in_sight(ax: Axes) -> bool:
    """Whether nothing that is drawn, and no place of a text, lies outside the axes."""
    to_data = ax.transData.inverted()
    boxes = [patch.get_window_extent().transformed(to_data).get_points() for patch in ax.patches]
    points = [np.asarray(line.get_xydata()) for line in ax.lines]
    places = [np.array([text.get_position()]) for text in ax.texts]
    drawn = np.concatenate([*boxes, *points, *places])
    limits = np.sort(np.array([ax.get_xlim(), ax.get_ylim()]))
    return bool((drawn >= limits[:, 0] - 0.02).all() and (drawn <= limits[:, 1] + 0.02).all())
