"""Set live figures: what a reader moves, in the place of a still figure.

    ```{live} bpe
    :do: Press Merge. Which pair comes next?
    :heights: 25 32

    The still figure, such as a table.
    ```

The still figure is what stands in the directive; with `:figure:`, the figure of the next cell; with
neither, the output above. `caption` and `name` make it a numbered figure. It stands alone without
scripts, in print and in notebooks. `heights` are those of the live figure in rem, in a wide window,
on a phone, and, where room for fingers adds more than a line, on a tablet. What it shows is in
`live_states`, after a cell that says `:live: bpe` (or the name after `:states:`), or computed by
its script, `book/assets/live/NAME.js`, which says what other scripts it needs.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ttv.live_states import STATES
from ttv.playground import DATA


class live_figure(nodes.General, nodes.Element):  # noqa: N801 (docutils names its nodes so)
    """A live figure; its children are the still one."""


class LiveFigure(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "do": directives.unchanged_required,
        "heights": directives.unchanged_required,
        "figure": directives.flag,
        "states": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "name": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        node = live_figure(name=name, takes_figure="figure" in self.options, do=self.options["do"])
        source = Path(self.env.srcdir, "book", "assets", "live", f"{name}.js").read_text("utf-8")
        needs = re.search(r"^// Needs (.*)\.$", source, re.MULTILINE)
        names = ["drawing/dom", *(needs[1].split(", ") if needs else []), f"live/{name}"]
        node["scripts"] = " ".join(map(self.script, names))
        pages = self.env.ttv_live  # type: ignore[attr-defined]
        label = self.options.get("states", name)
        found = [states[label] for states in pages.values() if label in states]
        states: object = pages.get(self.env.docname, {}).get(label) or next(iter(found), {})
        if label in STATES and not states:
            raise self.error(f"no cell that ran is labelled `:live: {label}`")
        node["states"] = json.dumps(states, separators=(",", ":"))
        wide, narrow, *touch = map(float, self.options["heights"].split())
        heights = {"wide": wide, "narrow": narrow, "touch": (touch or [wide + 0.9])[0]}
        node["style"] = "; ".join(f"--ttv-{name}: {rem:g}rem" for name, rem in heights.items())
        node += self.parse_content_to_nodes()
        if "caption" not in self.options:
            return [node]
        text, messages = self.state.inline_text(self.options["caption"], self.lineno)
        figure = nodes.figure("", node, nodes.caption("", "", *text))
        self.add_name(figure)
        return [figure, *messages]

    def script(self, name: str) -> str:
        """Return the path of a script, with a version: no browser takes an old one."""
        path = Path(self.env.srcdir, "book", "assets", f"{name}.js")
        if name.startswith(DATA):  # the page of the playground writes it
            return f"{name}.js"
        self.env.note_dependency(str(path))
        return f"{name}.js?v={hashlib.sha256(path.read_bytes()).hexdigest()[:8]}"


def _take_figures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    # Put the next picture into each live figure that takes one; the notebook is written.
    for node in list(doctree.findall(live_figure)):
        image = node.next_node(nodes.image, ascend=True) if node["takes_figure"] else None
        if image is not None and node.parent is not None:
            node.parent.remove(node)
            image.replace_self(node)
            node += image
    for cell in doctree.findall(nodes.container):
        # A figure comes first, and its folded code below it.
        if cell.get("hide_mode") == "input" and next(cell.findall(nodes.figure), None):
            cell.children.reverse()


def _visit(self: Any, node: nodes.Element) -> None:
    data = {f"data-{key}": node[key] for key in ("scripts", "states", "do")}
    data |= {"data-live": node["name"], "style": node["style"]}
    self.body.append(self.starttag(node, "div", CLASS="ttv-live", **data))
    self.body.append('<div class="ttv-still">')


def _depart(self: Any, node: nodes.Element) -> None:
    self.body.append("</div></div>\n")


def _add_assets(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    figures = {node["name"] for node in doctree.findall(live_figure)} if doctree else set()
    if figures:
        app.add_css_file("live/live.css")
        app.add_js_file("live/base.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    app.add_node(live_figure, html=(_visit, _depart))
    app.add_directive("live", LiveFigure)
    app.connect("doctree-resolved", _take_figures, priority=950)
    app.connect("html-page-context", _add_assets)
