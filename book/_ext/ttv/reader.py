"""Read the fences of a page: its directives, with their options and lines, by MyST's own parser.

What a page cannot mean is an error that names the page and the line: a fence that is not closed.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils.parsers.rst import Directive
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser
from sphinx.errors import ExtensionError
from sphinx_external_toc.parsing import parse_toc_yaml

CONFIG = yaml.safe_load(Path(__file__).parents[3].joinpath("_config.yml").read_text("utf-8"))
EXTENSIONS = CONFIG["parse"]["myst_enable_extensions"]
_PARSER = create_md_parser(MdParserConfig(enable_extensions=set(EXTENSIONS)), RendererHTML)
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}\s*(?P<argument>.*)")


@dataclass(frozen=True)
class Block:
    """A fence of a page: a directive, or plain code. Lines are counted from 1."""

    name: str  # of the directive; empty for plain code
    argument: str  # what follows the name; the language of plain code
    options: dict[str, Any]
    body: str  # without the options
    start: int
    end: int
    body_start: int


class _AnyDirective(Directive):
    """What MyST must know of a directive to part its options from its body."""

    option_spec, optional_arguments, has_content = {"options": str}, 1, True


@functools.cache
def blocks(source: str, page: str) -> tuple[Block, ...]:
    r"""Return the fences of a page, such as ``book/words``, in order.

    >>> (block,) = blocks("```{code-cell} ipython3\n:tags: [stub]\n\nx = 1\n```\n", "book/words")
    >>> block.name, block.options, block.body, block.start, block.end
    ('code-cell', {'tags': ['stub']}, 'x = 1', 1, 5)
    """
    lines, fences = source.split("\n"), {"fence", "colon_fence"}
    return tuple(_block(t, lines, page) for t in _PARSER.parse(source) if t.type in fences)


def pages_in_order(folder: Path) -> list[str]:
    root, *pages = parse_toc_yaml(folder / "_toc.yml")
    return [*pages, root]


def _block(token: Token, lines: list[str], page: str) -> Block:
    assert token.map
    start, end = token.map[0] + 1, token.map[1]
    fence, inside = re.escape(token.markup) + f"{token.markup[0]}*", lines[start:end]
    # Without a closing line a fence ends with the next one.
    is_open = any(re.match(rf"\s*{fence}\{{[\w-]+\}}", line) for line in inside)
    if is_open or not re.search(rf"^[ >\t]*{fence}[ \t]*$", lines[end - 1]):
        problem = f"{page}.md:{start}: this fence, {token.markup}{token.info}, is not closed"
        hint = "before the next one opens; a directive inside another needs a shorter fence"
        raise ExtensionError(f"{problem} {hint}" if is_open else problem)
    directive = _DIRECTIVE.match(token.info.strip())
    if directive is None:
        return Block("", token.info.strip(), {}, token.content, start, end, start + 1)
    content = parse_directive_text(_AnyDirective, "", token.content, validate_options=False)
    return Block(
        directive["name"], directive["argument"].strip(), content.options,
        "\n".join(content.body), start, end, start + 1 + content.body_offset,
    )  # fmt: skip
