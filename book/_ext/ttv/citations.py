"""Cite as (Author, year) and Author (year), in round brackets."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pybtex.backends.plaintext import Backend
from pybtex.plugin import register_plugin as register_backend
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.domain import BibtexDomain, get_docnames
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


class Works(BibtexDomain):
    """Format the works only if others are cited, or the page of a bibliography is read again.

    The domain itself does so in each build, though it stores them. A page of a bibliography is read
    again when a file with works has changed.
    """

    def env_updated(self) -> Iterable[str]:
        """Format all works, or keep those of the last build."""
        order = {page: i for i, page in enumerate(get_docnames(self.env))}  # type: ignore[no-untyped-call]
        cited = sorted((order[ref.docname], ref.docname, i, [target.key for target in ref.targets])
                       for i, ref in enumerate(self.citation_refs))  # fmt: skip
        settings = [(v.name, v.value) for v in self.env.config if v.name.startswith("bibtex")]
        made_from = repr(([(page, keys) for _, page, _, keys in cited], settings))
        there = {work.bibliography_key for work in self.citations}
        if there == self.bibliographies.keys() and self.data.get("made_from") == made_from:
            return []
        self.data["made_from"] = made_from
        return super().env_updated()


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_domain(Works, override=True)
    # It would be looked for in all installed packages for each citation.
    register_backend("pybtex.backends", "plaintext", Backend, force=True)
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing", "author_year_round", RoundReferenceStyle
    )
