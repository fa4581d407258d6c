"""A release: its version is the same everywhere, and its files are what they should be."""

import re
import zipfile
from pathlib import Path

import pytest
import release
import yaml

import companion

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_version_and_date_are_the_same_everywhere() -> None:
    version, date, text = release.newest_entry(CHANGELOG)
    citation = yaml.safe_load(CITATION)
    book = citation["preferred-citation"]
    assert version == release.version() == companion.__version__
    assert version == citation["version"] == book["version"]
    assert date == citation["date-released"]
    assert date.startswith(f"{book['year']}-")
    assert f"({book['year']})" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "### " in text


def test_the_newest_entry_is_the_first_and_ends_where_the_next_begins() -> None:
    entries = "# Changelog\n\n## [1.1.0] - 2027-01-02\n\n### Added\n\n- A.\n\n"
    entries += "## [1.0.0] - 2027-01-01\n\n- B.\n"
    assert release.newest_entry(entries) == ("1.1.0", "2027-01-02", "### Added\n\n- A.")
    with pytest.raises(SystemExit, match="no entry"):
        release.newest_entry("# Changelog\n\n## Unreleased\n")


def test_a_tag_must_name_the_version() -> None:
    release.check(f"v{companion.__version__}")
    for tag in (companion.__version__, "v99.0.0", ""):
        with pytest.raises(SystemExit, match="agree"):
            release.check(tag)


def test_the_licence_is_one_that_github_recognises() -> None:
    """GitHub compares the whole file with the licences it knows; the rest is in NOTICE.md."""
    first, _, rest = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n\n")
    holder, _, terms = rest.partition("\n\n")
    assert first == "MIT License"
    assert holder == "Copyright (c) 2026 The Text to Vectors authors"
    words = " ".join(terms.split())
    assert words.startswith("Permission is hereby granted, free of charge, to any person obtaining")
    assert words.endswith("USE OR OTHER DEALINGS IN THE SOFTWARE.")
    assert len(words.split()) == 162
    # Of two files with such names GitHub would show both, the second as unknown.
    named = [p.name for p in ROOT.iterdir() if re.match(r"licen[sc]e|copying", p.name.lower())]
    assert named == ["LICENSE"]
    assert "CC BY 4.0" in (ROOT / "NOTICE.md").read_text(encoding="utf-8")


def test_a_site_without_the_pdf_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, printed = tmp_path / "html", tmp_path / release.PDF.name
    for name, folder in (("SITE", site), ("PDF", printed), ("DIST", tmp_path / "dist")):
        monkeypatch.setattr(release, name, folder)
    with pytest.raises(SystemExit, match="the book is not built"):
        release.gather()
    site.mkdir()
    (site / "index.html").touch()
    printed.write_bytes(b"%PDF")
    with pytest.raises(SystemExit, match="the site does not offer the PDF"):
        release.gather()
    (site / release.PDF.name).write_bytes(b"%PDF")
    release.gather()
    archive, pdf = sorted((tmp_path / "dist").iterdir())
    with zipfile.ZipFile(archive) as packed:
        files = {name for name in packed.namelist() if not name.endswith("/")}
    assert files == {f"{archive.stem}/index.html", f"{archive.stem}/{printed.name}"}
    assert pdf.read_bytes() == b"%PDF"
