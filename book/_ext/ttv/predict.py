"""Fold the answer to each *Predict* box, until the reader opens it.

The answer is what the next cell shows and the first text after it, a paragraph or a box, with what
stands between them, such as a live figure or the cell of a figure, and boxes of the class `answer`
that follow. It is folded in the page alone: notebooks and the PDF have it open.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from ttv.live import live_figure

START = """<div class="cell ttv-answer {}"><details class="hide admonition">
<summary><p class="admonition-title">Show the answer</p></summary>
"""  # as MyST-NB folds what a tag hides
END = "</details></div>\n"


def _is(part: str, node: nodes.Element) -> bool:
    return bool(node.get("nb_element") == part)


def _fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for box in [node for node in doctree.findall(nodes.admonition) if "predict" in node["classes"]]:
        section: Any = box.parent
        cells = (node for node in section[section.index(box) :] if _is("cell_code", node))
        cell = next(cells, None)
        if cell is None:
            raise ExtensionError(f"{docname}: no cell after it has the answer: {box.astext()!r}")
        place, has_text = section.index(cell) + 1, False
        answer = [output for output in cell if _is("cell_code_output", output)]
        for node in section[place:]:
            if isinstance(node, nodes.section) or (has_text and "answer" not in node["classes"]):
                break
            answer.append(node)
            has_text |= not (
                _is("cell_code", node) or isinstance(node, live_figure | nodes.Invisible)
            )
        for node in answer:
            node.parent.remove(node)
        tags = " ".join(name for name in cell["classes"] if name.startswith("tag_"))
        start, end = (nodes.raw("", text, format="html") for text in (START.format(tags), END))
        section[place:place] = [start, *answer, end]


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    # After the notebook is written (900), and the live figures have their places (950).
    app.connect("doctree-resolved", _fold, priority=960)
