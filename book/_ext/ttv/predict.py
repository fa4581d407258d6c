"""Fold the answer to each *Predict* box, until the reader opens it.

The answer is what the next cell shows and the first text after it, with what stands between them.
Notebooks and the PDF have it open.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from ttv.live import live_figure
from ttv.notebooks import is_code_cell

START = """<div class="cell ttv-answer {}"><details class="hide admonition">
<summary><p class="collapsed admonition-title">Show the answer</p>
<p class="expanded admonition-title">Hide the answer</p></summary>
"""  # as MyST-NB folds what a tag hides
END = "</details></div>\n"


def _fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for box in [node for node in doctree.findall(nodes.admonition) if "predict" in node["classes"]]:
        section: Any = box.parent
        cells = [node for node in section[section.index(box) :] if is_code_cell(node)]
        if not cells:
            raise ExtensionError(f"{docname}: no cell after it has the answer: {box.astext()!r}")
        place = section.index(cells[0]) + 1
        answer = [part for part in cells[0] if part.get("nb_element") == "cell_code_output"]
        for node in section[place:]:
            if isinstance(node, nodes.section):
                break
            answer.append(node)
            if not (is_code_cell(node) or isinstance(node, live_figure | nodes.Invisible)):
                break
        for node in answer:
            node.parent.remove(node)
        tags = " ".join(name for name in cells[0]["classes"] if name.startswith("tag_"))
        start, end = (nodes.raw("", text, format="html") for text in (START.format(tags), END))
        section[place:place] = [start, *answer, end]


def setup(app: Sphinx) -> None:
    # After the notebook is written (900), and the live figures have their places (950).
    app.connect("doctree-resolved", _fold, priority=960)
