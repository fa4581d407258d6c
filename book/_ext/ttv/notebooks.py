"""Write each chapter, executed once for the book, as a notebook for Jupyter and Colab."""

import copy
import posixpath
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from nbformat.v4 import new_code_cell, new_notebook
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx_exercise.nodes import solution_node

from ttv.plain_markdown import PlainMarkdown
from ttv.publication import Publication

BOOK = "book/"
WITHOUT_SOLUTIONS = "without-solutions"
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def is_notebook(env: BuildEnvironment, docname: str) -> bool:
    return "exec_data" in env.nb_metadata.get(docname, {})  # type: ignore[attr-defined]


def notebook_name(docname: str) -> str:
    return posixpath.relpath(docname, BOOK).replace("/", "-") + ".ipynb"


@dataclass
class NotebookWriter:
    """Write one resolved page and its executed cells as a notebook."""

    env: BuildEnvironment
    docname: str
    executed: nbformat.NotebookNode
    site: str | None = None
    with_solutions: bool = True
    cells: list[nbformat.NotebookNode] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.markdown = PlainMarkdown(self.link, self.image, self.title_of)

    def link(self, target: str) -> str | None:
        """Give the URL of an internal reference that is relative to the page."""
        url = urljoin(f"{self.docname}.html", target)
        if self.site is not None:
            return self.site + url
        # It leads to a file of the repository, as seen from `book/notebooks`.
        docname = url.partition("#")[0].removesuffix(".html")
        if docname == self.docname:
            return None
        if is_notebook(self.env, docname):
            return notebook_name(docname)
        return self.image(Path(self.env.doc2path(docname, base=False)).as_posix())

    def image(self, uri: str) -> str:
        if self.site is not None:
            return f"{self.site}_images/{self.env.images[uri][1]}"
        return posixpath.relpath(uri, f"{BOOK}notebooks")

    def write(self, doctree: nodes.document) -> Any:
        self.walk(doctree.children, level=0)
        self.end_text()
        written = sum(cell.cell_type == "code" for cell in self.cells)
        there = sum(cell.cell_type == "code" for cell in self.executed.cells)
        if written != there and self.with_solutions:
            raise ExtensionError(
                f"{self.docname}: {there} code cells were run but {written} stand in the page; "
                "a notebook needs them all, so use hide-cell where you used remove-cell"
            )
        return new_notebook(cells=self.cells, metadata=KERNEL)

    def walk(self, children: Iterable[nodes.Node], level: int) -> None:
        for node in children:
            if isinstance(node, nodes.section) and isinstance(node.children[0], nodes.title):
                self.text.append(f"{'#' * (level + 1)} {self.title_of(node)}")
                self.walk(node.children[1:], level + 1)
            elif is_code_cell(node):
                self.code_cell(node)
            elif isinstance(node, solution_node):
                self.end_text()
                if self.with_solutions:
                    self.solution(node)
            elif next(node.findall(is_code_cell), None) is not None:
                # A cell that is wrapped, to hide it for instance, is a cell all the same.
                self.walk(node.children, level)
            else:
                self.text.append(self.markdown.block(node))

    def end_text(self, summary: str | None = None) -> None:
        """Make a Markdown cell of the text so far, folded under `summary` if there is one."""
        source = "\n\n".join(filter(None, self.text))
        self.text = []
        if source and summary:
            source = f"<details>\n<summary>{summary}</summary>\n\n{source}\n\n</details>"
        if source:
            self.add_cell("markdown", source, {})

    def code_cell(self, node: nodes.Node, folded: bool = False) -> None:
        assert isinstance(node, nodes.Element)
        self.end_text()
        cell = self.executed.cells[node["cell_index"]]
        count = 1 + sum(cell.cell_type == "code" for cell in self.cells)
        all_tags = cell.metadata.get("tags", [])
        tags = [tag for tag in all_tags if not tag.startswith("hide-")]
        metadata: dict[str, Any] = {"tags": tags} if tags else {}
        if folded or tags != all_tags:  # folded in JupyterLab and in Colab
            metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
        outputs = copy.deepcopy(cell.outputs)
        for output in outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
        self.add_cell("code", cell.source, metadata, execution_count=count, outputs=outputs)
        self.text += map(self.markdown.block, node.findall(nodes.caption))

    def add_cell(self, kind: str, source: str, metadata: dict[str, Any], **more: Any) -> None:
        """Add a cell; nbformat would validate each, and then all of them again."""
        name = f"{notebook_name(self.docname).removesuffix('.ipynb')}-{len(self.cells):03}"
        named = {"cell_type": kind, "id": name, "metadata": metadata, "source": source}
        self.cells.append(nbformat.NotebookNode(**named, **more))

    def solution(self, node: nodes.Node) -> None:
        """Write a solution: its text folded away, its cells with their source hidden."""
        summary = node.children[0].astext().replace("\n", " ")
        # sphinx-exercise puts the body into a section, and after it what a long one encloses.
        for child in [*node.children[1].children, *node.children[2:]]:
            if is_code_cell(child):
                # The first cell of a solution says whose it is, if no text does.
                if not self.text and not summary.endswith("continued"):
                    self.text.append("The next cell has it.")
                self.end_text(summary)
                self.code_cell(child, folded=True)
                summary = f"{summary.partition(' to ')[0].removesuffix(', continued')}, continued"
            else:
                self.text.append(self.markdown.block(child))
        self.end_text(summary)

    def title_of(self, node: nodes.Element) -> str:
        if isinstance(node, nodes.math_block):
            return self.number("displaymath", node)
        if isinstance(node, nodes.figure):
            return f"Fig. {self.number('figure', node)}"
        title = self.markdown.inline(node.children[0].children).strip()
        if not isinstance(node, nodes.section):
            return f"Exercise {self.number('exercise', node)} {title}"
        anchor = f"#{node['ids'][0]}" if isinstance(node.parent, nodes.section) else ""
        number = self.env.toc_secnumbers.get(self.docname, {}).get(anchor)
        return f"{'.'.join(map(str, number))}. {title}" if number else title

    def number(self, kind: str, node: nodes.Element) -> str:
        numbers = self.env.toc_fignumbers.get(self.docname, {}).get(kind, {})
        return ".".join(str(part) for part in numbers[node["ids"][0]])


def is_code_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code"


def write_notebooks(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if not is_notebook(app.env, docname) or app.builder.name != "html":
        return
    build = Path(app.outdir).parent
    # Outputs that came from the cache are missing in this file, and those of a fresh run have lost
    # white space at their end. The cache has them as they were.
    executed = nbformat.read(build / "jupyter_execute" / f"{docname}.ipynb", as_version=4)
    cache = get_cache(app.config.nb_execution_cache_path)
    executed = cache.merge_match_into_notebook(executed)[1]
    publication: Publication = app.config.publication
    name, published = notebook_name(docname), Path(app.outdir) / "notebooks"
    for folder, site, with_solutions in (
        # This depends on nothing but the repository, and links to its neighbours there.
        # `make notebooks` copies it to `book/notebooks`, where it is committed and tested.
        (build / "notebooks", None, True),
        # This is published. It links to the site where the address is known, and then its first
        # cell installs the companion. Teachers get the same without the solutions, in a `.zip`.
        (published, publication.site, True),
        (published / WITHOUT_SOLUTIONS, publication.site, False),
    ):
        notebook = NotebookWriter(app.env, docname, executed, site, with_solutions).write(doctree)
        if site:
            cell = new_code_cell(publication.install_cell(), id=name.replace(".ipynb", "-install"))
            notebook.cells.insert(0, cell)
        nbformat.validate(notebook)
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / name)


def finish(app: Sphinx, site: Path) -> None:
    folder = site / "notebooks" / WITHOUT_SOLUTIONS
    if folder.is_dir():
        shutil.make_archive(str(folder), "zip", folder)


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", write_notebooks, priority=900)
