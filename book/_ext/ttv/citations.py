"""Cite as (Author, year) and Author (year), in round brackets."""

from dataclasses import dataclass, field

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


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing", "author_year_round", RoundReferenceStyle
    )
