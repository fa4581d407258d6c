"""Make `book/assets/social.png`, the picture that goes with a link to the published book.

    python tools/social_image.py

One sentence on its way down the picture: tokens, ids, vectors, in the colours and letters of the
figures. The numbers in the vectors are drawn at random.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion import plots
from companion.bpe import gpt2
from companion.corpus import SENTENCE
from companion.plots._drawing import BOLD, SANS, load_fonts, tint

TARGET = Path(__file__).parents[1] / "book" / "assets" / "social.png"
SIZE = (1200, 630)
PAPER = "#fdfcf9"
LEFT, RIGHT = 90, 1110


def draw(ax: Axes) -> None:
    """Draw the picture, a unit a pixel."""
    mark = (plots.TOKEN, plots.SEGMENT, plots.POSITION, plots.INPUT)
    for i, color in enumerate(mark):
        ax.add_patch(Rectangle((LEFT + 46 * i, 118), 40, 40, facecolor=color))
    ax.text(LEFT - 4, 232, "Text to Vectors", size=74, family=BOLD)
    ax.text(LEFT, 302, "How text becomes the input of a transformer,", size=33, color=plots.MUTED)
    ax.text(LEFT, 346, "step by step, in code that runs", size=33, color=plots.MUTED)

    ids = gpt2().encode(SENTENCE)
    step = (RIGHT - LEFT) / len(ids)
    vectors = np.random.default_rng(0).uniform(0.08, 1, (len(ids), 4))
    for i, (token_id, vector) in enumerate(zip(ids, vectors, strict=True)):
        x = LEFT + step * i
        ax.text(x, 440, gpt2().decode([token_id]).strip(), size=24)
        ax.text(x, 486, str(token_id), size=24, color=plots.TOKEN)
        for j, strength in enumerate(vector):
            cell = Rectangle((x + 22 * j, 510), 20, 36, facecolor=tint(plots.TOKEN, strength))
            ax.add_patch(cell)


if __name__ == "__main__":
    load_fonts()
    # 72 dots an inch: a point of type is a pixel.
    with plt.rc_context({"font.family": SANS, "text.color": plots.INK}):
        figure = plt.figure(figsize=(SIZE[0] / 72, SIZE[1] / 72), dpi=72, facecolor=PAPER)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, SIZE[0]), ylim=(SIZE[1], 0))
        axes.axis("off")
        draw(axes)
        figure.savefig(TARGET, metadata={"Software": None})
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")
