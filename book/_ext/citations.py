"""Cite as (Author, year) and Author (year), with round brackets."""

from dataclasses import dataclass, field
from typing import Any

from sphinx.application import Sphinx
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle


def _round() -> BracketStyle:
    return BracketStyle(left="(", right=")")


@dataclass
class RoundReferenceStyle(AuthorYearReferenceStyle):
    """The author-year style of sphinxcontrib-bibtex in round brackets."""

    bracket_parenthetical: BracketStyle = field(default_factory=_round)
    bracket_textual: BracketStyle = field(default_factory=_round)
    bracket_author: BracketStyle = field(default_factory=_round)
    bracket_label: BracketStyle = field(default_factory=_round)
    bracket_year: BracketStyle = field(default_factory=_round)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing", "author_year_round", RoundReferenceStyle
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
