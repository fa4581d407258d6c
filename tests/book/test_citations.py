"""Works are told apart where they are cited."""

from pathlib import Path

from pybtex.database import parse_file

from ttv.citations import RoundReferenceStyle

BIB = Path(__file__).parents[2] / "book" / "references.bib"


def test_no_two_works_are_cited_alike() -> None:
    """Works with the same names and the same year need letters after it: 2023a and 2023b."""
    style = RoundReferenceStyle()
    names = style.person.author_or_editor_or_title(full=False)
    works = parse_file(str(BIB)).entries.values()
    cited = [
        (str(names.format_data({"entry": w, "style": style})), w.fields["year"]) for w in works
    ]
    assert len(set(cited)) == len(cited) > 50
