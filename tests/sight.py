"""Whether all that a figure draws can be seen."""

import numpy as np
from matplotlib.axes import Axes


def in_sight(ax: Axes) -> bool:
    """Whether nothing that is drawn, and no place of a text, lies outside the axes."""
    to_data = ax.transData.inverted()
    boxes = [patch.get_window_extent().transformed(to_data).get_points() for patch in ax.patches]
    points = [np.asarray(line.get_xydata()) for line in ax.lines]
    places = [np.array([text.get_position()]) for text in ax.texts]
    drawn = np.concatenate([*boxes, *points, *places])
    limits = np.sort(np.array([ax.get_xlim(), ax.get_ylim()]))
    return bool((drawn >= limits[:, 0] - 0.02).all() and (drawn <= limits[:, 1] + 0.02).all())
