"""Draw the card that goes with a link to a page, where the book is published.

Each page has one of its own, 1200 by 630 pixels: its title, its place in the book, and a sentence
that has become strips of numbers, in the colours and letters of the figures. The numbers are drawn
at random, by the page's name. Without an address, which a card must have, none is drawn.
"""

import textwrap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from companion import plots
from companion.bpe import gpt2
from companion.plots._drawing import BOLD, SANS, load_fonts, tint
from companion.story import SENTENCE

FOLDER = "_static/cards"
SIZE = (1200, 630)
PAPER = "#fdfcf9"
LEFT, RIGHT = 90, 1110
WIDTH = 30
"""Letters in a line of a title, of which there is room for two."""
MARK = (plots.TOKEN, plots.SEGMENT, plots.POSITION, plots.INPUT)
SUBTITLE = "How text becomes the input of a transformer,\nstep by step, in code that runs"


@dataclass(frozen=True)
class Card:
    """What a card shows."""

    title: str
    place: str  # of the page in the book; empty for the landing page
    color: str  # of the strips
    seed: int  # of the numbers in the strips

    @property
    def alt(self) -> str:
        """What the card shows, in words."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.title}{place}: a sentence above coloured strips of numbers"


def draw(card: Card, path: Path, book: str) -> None:
    """Draw the card of a page of a book into a PNG file; the same card gives the same bytes."""
    load_fonts()
    # 72 dots an inch: a point of type is a pixel.
    with plt.rc_context({"font.family": SANS, "text.color": plots.INK}):
        figure = Figure(figsize=(SIZE[0] / 72, SIZE[1] / 72), dpi=72, facecolor=PAPER)
        FigureCanvasAgg(figure)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set(xlim=(0, SIZE[0]), ylim=(SIZE[1], 0))
        ax.axis("off")
        _draw_head(ax, card, book)
        _draw_strips(ax, card)
        figure.savefig(path, metadata={"Software": None})


def _draw_head(ax: Axes, card: Card, book: str) -> None:
    for i, color in enumerate(MARK):
        ax.add_patch(Rectangle((LEFT + 46 * i, 82), 40, 40, facecolor=color))
    if not card.place:
        ax.text(LEFT - 4, 214, card.title, size=74, family=BOLD)
        ax.text(LEFT, 246, SUBTITLE, size=33, color=plots.MUTED, va="top", linespacing=1.25)
        return
    ax.text(LEFT + 204, 102, book, size=33, family=BOLD, va="center_baseline")
    ax.text(LEFT, 196, card.place, size=33, color=plots.MUTED)
    lines = "\n".join(textwrap.wrap(card.title, WIDTH))
    ax.text(LEFT - 3, 226, lines, size=68, family=BOLD, va="top", linespacing=0.92)


def _draw_strips(ax: Axes, card: Card) -> None:
    """One token of the sentence a column: its letters, its id, its vector."""
    ids = gpt2().encode(SENTENCE)
    step = (RIGHT - LEFT) / len(ids)
    vectors = np.random.default_rng(card.seed).uniform(0.08, 1, (len(ids), 4))
    for i, (token_id, vector) in enumerate(zip(ids, vectors, strict=True)):
        x = LEFT + step * i
        ax.text(x, 440, gpt2().decode([token_id]).strip(), size=24)
        ax.text(x, 486, str(token_id), size=24, color=plots.TOKEN)
        for j, strength in enumerate(vector):
            cell = Rectangle((x + 22 * j, 510), 20, 36, facecolor=tint(card.color, strength))
            ax.add_patch(cell)


def cards(env: BuildEnvironment, root: str, book: str) -> dict[str, Card]:
    """Give each page of the book its card, by the page's name."""
    found = {root: Card(book, "", plots.TOKEN, 0)}
    for part, (caption, pages) in enumerate(_parts(env, root)):
        for page in pages:
            number = env.toc_secnumbers.get(page, {}).get("")
            place = f"Chapter {number[0]} · {caption}" if number else caption
            color = MARK[part % len(MARK)]
            found[page] = Card(env.titles[page].astext(), place, color, zlib.crc32(page.encode()))
    return found


def _parts(env: BuildEnvironment, root: str) -> Iterator[tuple[str, list[str]]]:
    """Caption and pages of each part, those below a page included."""
    for toctree in env.get_doctree(root).findall(addnodes.toctree):
        pages = list(toctree["includefiles"])
        for page in pages:  # which grows
            pages += env.toctree_includes.get(page, [])
        yield toctree["caption"] or "", pages


def _draw_all(app: Sphinx, env: BuildEnvironment) -> None:
    app.config.cards = {}
    if app.builder.name != "html":
        return
    app.config.cards = cards(env, app.config.root_doc, app.config.project)
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for page, card in app.config.cards.items():
        draw(card, folder / f"{_name(page)}.png", app.config.project)


def _name(page: str) -> str:
    return page.removeprefix("book/").replace("/", "-")


def _add_card(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell the template of the page's card; what stands in no part shares the landing page's."""
    if app.config.cards:
        page = pagename if pagename in app.config.cards else app.config.root_doc
        context["card"] = {
            "url": f"{app.config.html_baseurl}{FOLDER}/{_name(page)}.png",
            "alt": app.config.cards[page].alt,
            "width": SIZE[0],
            "height": SIZE[1],
        }


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_config_value("cards", {}, "", types=[dict])
    # The numbers of the chapters are known from here on.
    app.connect("env-check-consistency", _draw_all)
    app.connect("html-page-context", _add_card)
