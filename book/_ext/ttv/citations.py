"""Cite as (Author, year) and Author (year), in round brackets, with no two works alike."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from string import ascii_lowercase

from pybtex.database import Entry
from pybtex.plugin import find_plugin
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


def tell_apart(entries: Iterable[Entry]) -> None:
    """Give works that would be cited alike a letter behind the year: 2023a, 2023b.

    The letters follow the order of the works. The years are changed in place, so that text and
    bibliography agree; a second call changes nothing.
    """
    style = RoundReferenceStyle()
    names = style.person.author_or_editor_or_title(full=False)
    alike = defaultdict(list)
    for entry in entries:
        cited_as = str(names.format_data({"entry": entry, "style": style}))
        alike[cited_as, entry.fields.get("year", "n.d.")].append(entry)
    for (_, year), works in alike.items():
        if len(works) > 1:
            for i, work in enumerate(works):
                work.fields["year"] = year + ascii_lowercase[i]


def _tell_apart(app: Sphinx) -> None:
    order = find_plugin("pybtex.style.formatting", app.config.bibtex_default_style)().sort
    works: dict[str, Entry] = app.env.get_domain("cite").data["bibdata"].data.entries
    tell_apart(order(works.values()))


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    register_plugin(
        "sphinxcontrib.bibtex.style.referencing", "author_year_round", RoundReferenceStyle
    )
    # Later than sphinxcontrib-bibtex, which reads the works at the same event.
    app.connect("builder-inited", _tell_apart, priority=600)
