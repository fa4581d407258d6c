"""The directive `quiz`: a few questions in the page, where every choice explains itself.

`book/quizzes/NAME.yml` lists them: a `question` and its `choices`, each with its `text`, the reason
`why`, and `right: true` for the one that is, in Markdown. In the page a choice unfolds.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

LETTERS = "ABCDEF"


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


def setup(app: Sphinx) -> None:
    app.add_node(quiz_question, html=(_visit_question, _depart_question))
    app.add_node(quiz_choice, html=(_visit_choice, None))
    app.add_directive("quiz", Quiz)
