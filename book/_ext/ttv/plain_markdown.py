"""Write a page of the book, or a part of it, as plain Markdown: a method for each kind of node.

Colab and plain Jupyter know no directives and no roles. So a notebook is written from the page as
Sphinx has resolved it, in which every number, title and link is in place already.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from textwrap import indent

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.logging import get_node_location

_SPECIAL = re.compile(r"([\\`*\[\]<$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;))")
# Where a heading, a quote, a list, a fence or a table would begin. The backslash goes before a
# sign: before a digit it would be shown.
_LINE_START = re.compile(r"^(\s*)(\d+(?=[.)](?:\s|$))|(?=[#>+=~|-]|:-))", re.MULTILINE)
_SILENT = dict.fromkeys(("target", "comment", "meta", "toctree"), "")
_FORMS = {
    "block": {"title": "**{}**", **_SILENT},
    "inline": {"emphasis": "*{}*", "strong": "**{}**", "inline": "{}", **_SILENT}
    | {"download_reference": "{}"},
}
"""Of what has no other content than inline nodes."""


class UnwritableError(ExtensionError):
    """A node that has no plain form."""

    def __init__(self, node: nodes.Node) -> None:
        super().__init__(
            f"{get_node_location(node)}: {node.__class__.__name__} has no plain Markdown form "
            f"for the notebook: {node.astext()[:80]!r}; "
            "say it in other syntax, or teach book/_ext/ttv/plain_markdown.py to write it"
        )


@dataclass
class PlainMarkdown:
    link: Callable[[str], str | None]  # of ``bytes.html#utf-8`` or ``#summary`` the URL, or none
    image: Callable[[str], str]  # of a path the URL
    title_of: Callable[[nodes.Element], str]  # the number of a figure or an equation

    def blocks(self, children: Iterable[nodes.Node]) -> str:
        return "\n\n".join(filter(None, (self.block(child) for child in children)))

    def block(self, node: nodes.Node) -> str:
        """Write one block node; the empty string for one that shows nothing."""
        return self._write(node, "block")

    def inline(self, children: Iterable[nodes.Node]) -> str:
        return "".join(self._write(child, "inline") for child in children)

    def _write(self, node: nodes.Node, kind: str) -> str:
        for name in (ancestor.__name__ for ancestor in type(node).__mro__):
            if name in _FORMS[kind]:
                return _FORMS[kind][name].format(self.inline(node.children))
            if write := getattr(self, f"_{kind}_{name}", None):
                return str(write(node))
        raise UnwritableError(node)

    # Blocks

    def _block_paragraph(self, node: nodes.Element) -> str:
        return _LINE_START.sub(r"\1\2\\", self.inline(node.children)).replace("\n\n", "\n")

    def _block_compound(self, node: nodes.Element) -> str:
        return self.blocks(node.children)

    def _block_literal_block(self, node: nodes.Element) -> str:
        text = node.astext().rstrip("\n")
        language = str(node.get("language", "")).replace("ipython3", "python")
        fence = _fence(text, 3)
        return f"{fence}{'' if language in ('none', 'default') else language}\n{text}\n{fence}"

    def _block_math_block(self, node: nodes.Element) -> str:
        tag = f" \\tag{{{self.title_of(node)}}}" if node.get("number") else ""
        return f"$$\n{node.astext().strip()}{tag}\n$$"

    def _block_bullet_list(self, node: nodes.Element) -> str:
        items = []
        for i, item in enumerate(node.children, int(node.get("start", 1))):
            assert isinstance(item, nodes.list_item)
            first = f"{i}. " if isinstance(node, nodes.enumerated_list) else "- "
            # A fence in a list must end in the list: all lines are indented as wide as the marker.
            text = indent(self.blocks(item.children), " " * len(first))
            items.append(first + text[len(first) :])
        loose = any(len(item.children) > 1 for item in node.children)
        return ("\n\n" if loose else "\n").join(items)

    _block_enumerated_list = _block_bullet_list

    def _block_admonition(self, node: nodes.Element) -> str:
        return _quote(self.blocks(node.children))

    def _block_exercise_enumerable_node(self, node: nodes.Element) -> str:
        return _quote(f"**{self.title_of(node)}**\n\n{self.blocks(node.children[1:])}")

    def _block_quiz_question(self, node: nodes.Element) -> str:
        # What the page unfolds: the choices first, then what is to be said of each, in a fold.
        choices = [child for child in node.findall(nodes.Element) if "letter" in child]
        question = self.blocks(child for child in node.children if child not in choices)
        texts = reasons = ""
        for choice in choices:
            text, why = (self.blocks(part.children) for part in choice.children)
            texts += f"- **{choice['letter']}** {text}\n"
            reasons += f"- **{choice['letter']}** {'Right.' if choice['right'] else 'No.'} {why}\n"
        fold = f"<details>\n<summary>Answers</summary>\n\n{reasons}\n</details>"
        return f"**Question {node['number']}.** {question}\n\n{texts}\n{fold}"

    def _block_section(self, node: nodes.Element) -> str:
        # sphinx-exercise wraps the body of an exercise in a section of its own without a title.
        if isinstance(node.children[0], nodes.title):
            raise UnwritableError(node)
        return self.blocks(node.children)

    def _block_figure(self, node: nodes.Element) -> str:
        # A live figure may have no still one: its caption goes with it.
        is_there = isinstance(node[0], nodes.image) or node[0].children
        return self.blocks(node.children) if is_there else ""

    _block_live_figure = _block_compound

    def _block_caption(self, node: nodes.Element) -> str:
        assert isinstance(node.parent, nodes.Element)
        return f"**{self.title_of(node.parent)}** {self.inline(node.children)}"

    def _block_image(self, node: nodes.Element) -> str:
        return f"![{_escape(node.get('alt', ''))}]({self.image(node['uri'])})"

    def _block_table(self, node: nodes.Element) -> str:
        rows = list(node.findall(nodes.row))
        entries = [list(row.findall(nodes.entry)) for row in rows]
        if any(entry.get("morecols") or entry.get("morerows") for row in entries for entry in row):
            raise UnwritableError(node)
        lines = [[self._cell(entry) for entry in row] for row in entries]
        rules = ["---:" if "text-right" in entry["classes"] else "---" for entry in entries[0]]
        return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rules, *lines[1:]))

    def _cell(self, entry: nodes.entry) -> str:
        return re.sub(r"(?<!\\)\|", r"\\|", self.blocks(entry.children).replace("\n", " "))

    # Inline

    def _inline_Text(self, node: nodes.Node) -> str:  # noqa: N802 (a docutils class)
        return _escape(node.astext())

    def _inline_literal(self, node: nodes.Element) -> str:
        text = node.astext()
        fence = _fence(text)
        # One space on either side is dropped again by every Markdown reader, and lets the text
        # begin or end with a backtick or with spaces of its own.
        padding = " " if text[:1] in "` " or text[-1:] in "` " else ""
        return f"{fence}{padding}{text}{padding}{fence}"

    def _inline_math(self, node: nodes.Element) -> str:
        return f"${node.astext()}$"

    def _inline_reference(self, node: nodes.Element) -> str:
        text = self.inline(node.children)
        url = node.get("refuri")
        if url is None or node.get("internal"):
            url = self.link(f"#{node['refid']}" if url is None else url)
        return f"[{text.strip()}]({url})" if url else text

    _inline_image = _block_image


def _fence(text: str, least: int = 1) -> str:
    # Return a run of backticks that is longer than any in a text.
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
