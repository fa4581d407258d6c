"""Read a page of the book: its text, and its directives with their options and lines.

Everything that looks into the source of a page asks this module, which uses MyST's own parser. What
a page cannot mean is an error that names the page and the line: a fence that is not closed, options
of a code cell that are not understood.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser
from sphinx.errors import ExtensionError
from sphinx_external_toc.parsing import parse_toc_yaml

EXTENSIONS = {"amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"}
"""What `_config.yml` enables."""

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


class _AnyDirective:
    """What MyST must know of a directive to part its options from its body."""

    option_spec = {"options": True}  # noqa: RUF012 (MyST wants it so)
    required_arguments = 0
    optional_arguments = 1
    has_content = True


@functools.cache
def _parser() -> MarkdownIt:
    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS), RendererHTML)


@functools.cache
def read(source: str, page: str, first_line: int = 1) -> tuple[Block | Token, ...]:
    r"""Parse a page, or the body of a directive in it that begins at a line.

    The result is a block for each fence, and the parser's tokens for everything else, in order. A
    fence that is not closed, and options of a code cell that cannot be read, are an ExtensionError,
    which names the page, such as ``book/words``, and the line.

    >>> (block,) = blocks("```{code-cell} ipython3\n:tags: [stub]\n\nx = 1\n```\n", "book/words")
    >>> block.name, block.options, block.body, block.start, block.end
    ('code-cell', {'tags': ['stub']}, 'x = 1', 1, 5)
    """
    lines = source.split("\n")
    return tuple(
        _block(token, lines, page, first_line) if token.type in {"fence", "colon_fence"} else token
        for token in _parser().parse(source)
    )


def blocks(source: str, page: str) -> list[Block]:
    """Return the fences of a page."""
    return [part for part in read(source, page) if isinstance(part, Block)]


def pages_in_order(folder: Path) -> list[str]:
    """Return the pages of a book in the order of its contents, the landing page last."""
    root, *pages = parse_toc_yaml(folder / "_toc.yml")
    return [*pages, root]


def _block(token: Token, lines: list[str], page: str, first_line: int) -> Block:
    assert token.map
    start, stop = token.map
    where = f"{page}.md:{start + first_line}"
    _check_closed(token, lines[start + 1 : stop], where)
    directive = _DIRECTIVE.match(token.info.strip())
    if directive is None:
        name, argument, options, body, offset = "", token.info.strip(), {}, token.content, 0
    else:
        name, argument = directive["name"], directive["argument"].strip()
        kind: Any = _AnyDirective
        content = parse_directive_text(kind, "", token.content, validate_options=False)
        if content.warnings and name == "code-cell":
            raise ExtensionError(
                f"{where}: the options of this cell are not understood: {content.warnings[0].msg}"
            )
        options, body, offset = content.options, "\n".join(content.body), content.body_offset
    return Block(
        name, argument, options, body, start + first_line, stop - 1 + first_line,
        start + 1 + first_line + offset,
    )  # fmt: skip


def _check_closed(token: Token, inside: list[str], where: str) -> None:
    marker = token.markup[0]
    last = inside[-1].strip(" >\t") if inside else ""
    if len(last) < len(token.markup) or set(last) != {marker}:
        raise ExtensionError(f"{where}: this fence, {token.markup}{token.info}, is not closed")
    # Without a closing line a fence ends with the next one.
    opening = re.compile(rf"\s*{re.escape(token.markup)}{marker}*\{{[\w-]+\}}")
    if any(map(opening.match, inside)):
        raise ExtensionError(
            f"{where}: this fence, {token.markup}{token.info}, is not closed before the next one "
            "opens; a directive inside another needs a shorter fence"
        )
