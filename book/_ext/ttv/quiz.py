"""Questions that show an answer when the reader asks: the directive `quiz`, and boxes *Predict*.

`book/quizzes/NAME.yml` lists the questions of a quiz, and their `choices`, each with its `text`,
the reason `why`, and `right: true` for the one that is, in Markdown. In the page a choice unfolds.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from ttv.live import live_figure
from ttv.notebooks import is_code_cell

LETTERS = "ABCDEF"
START = """<div class="cell ttv-answer {}"><details class="hide admonition">
<summary><p class="collapsed admonition-title">Show the answer</p>
<p class="expanded admonition-title">Hide the answer</p></summary>
"""  # as MyST-NB folds what a tag hides


class quiz_question(nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A question, and after it its choices."""


class quiz_choice(nodes.Element):  # noqa: N801
    """A choice: its text, and then why it is right or wrong."""


class Quiz(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.srcdir, "book", "quizzes", f"{self.arguments[0]}.yml")
        self.env.note_dependency(str(path))
        questions = yaml.safe_load(path.read_text(encoding="utf-8"))
        try:
            return [self.question(i, question) for i, question in enumerate(questions, start=1)]
        except KeyError as error:
            raise self.error(f"{path.name}: {error} is missing") from error

    def question(self, number: int, question: dict[str, Any]) -> quiz_question:
        node = quiz_question("", *self.parse_text_to_nodes(question["question"]), number=number)
        for letter, choice in zip(LETTERS, question["choices"], strict=False):
            texts = (self.parse_text_to_nodes(choice[part]) for part in ("text", "why"))
            parts = [nodes.container("", *text) for text in texts]
            node += quiz_choice("", *parts, letter=letter, right=choice.get("right", False))
        return node


def _visit_question(self: Any, node: nodes.Element) -> None:
    label = f"Question {node['number']}"
    self.body.append(f'<div class="ttv-quiz" role="group" aria-label="{label}">')


def _depart_question(self: Any, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def _visit_choice(self: Any, node: nodes.Element) -> None:
    kind, verdict = ("ttv-right", "Right.") if node["right"] else ("ttv-wrong", "No.")
    text, why = node.children
    self.body.append(f'<details class="ttv-choice {kind}"><summary>')
    self.body.append(f'<span class="ttv-letter">{node["letter"]}</span> <span>')
    for child in text.children[0].children:
        child.walkabout(self)
    self.body.append(f"</span></summary><p><strong>{verdict}</strong> ")
    for child in why.children[0].children:
        child.walkabout(self)
    self.body.append("</p></details>\n")
    raise nodes.SkipNode


def _fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Fold the answer to each box *Predict*; notebooks and the PDF have it open.

    It is what the next cell shows, and what follows, to the first text.
    """
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
        start, end = (
            nodes.raw("", text, format="html")
            for text in (START.format(tags), "</details></div>\n")
        )
        section[place:place] = [start, *answer, end]


def setup(app: Sphinx) -> None:
    # After the notebook is written (900), and the live figures have their places (950).
    app.connect("doctree-resolved", _fold, priority=960)
    app.add_node(quiz_question, html=(_visit_question, _depart_question))
    app.add_node(quiz_choice, html=(_visit_choice, None))
    app.add_directive("quiz", Quiz)
