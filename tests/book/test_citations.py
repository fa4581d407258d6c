"""Works that would be cited alike are told apart by letters."""

from pathlib import Path

from pybtex.database import Entry, parse_file, parse_string

from ttv.citations import tell_apart

BIB = Path(__file__).parents[2] / "book" / "references.bib"

WORKS = """
@book{first,  author={Zouhar, A. and Du, L. and Meister, C.}, title={A}, year={2023}}
@book{other,  author={Zouhar, A. and Du, L.},                 title={B}, year={2023}}
@book{second, author={Zouhar, B. and Ito, K. and Kay, M.},    title={C}, year={2023}}
@book{later,  author={Zouhar, A. and Du, L. and Meister, C.}, title={D}, year={2024}}
@book{undated, author={Du, L.}, title={E}}
@book{undated_too, author={Du, L.}, title={F}}
"""


def years(works: dict[str, Entry]) -> list[str | None]:
    return [work.fields.get("year") for work in works.values()]


def test_only_works_cited_alike_get_letters_in_order() -> None:
    works = parse_string(WORKS, "bibtex").entries
    expected = ["2023a", "2023", "2023b", "2024", "n.d.a", "n.d.b"]
    tell_apart(works.values())
    assert years(works) == expected
    tell_apart(works.values())  # as when Sphinx reads them from its cache
    assert years(works) == expected


def test_the_letters_follow_the_order_they_are_given() -> None:
    works = parse_string(WORKS, "bibtex").entries
    tell_apart(reversed(list(works.values())))
    assert (works["first"].fields["year"], works["second"].fields["year"]) == ("2023b", "2023a")


def test_the_works_of_zouhar_are_told_apart() -> None:
    works = parse_file(str(BIB)).entries
    before = years(works)
    tell_apart(works.values())
    lettered = {
        key: work.fields["year"]
        for (key, work), year in zip(works.items(), before, strict=True)
        if work.fields["year"] != year
    }
    assert lettered.keys() >= {"Zouhar2023bpe", "Zouhar2023channel"}
    assert {lettered["Zouhar2023bpe"], lettered["Zouhar2023channel"]} == {"2023a", "2023b"}
