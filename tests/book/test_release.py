"""A release: its version is the same everywhere, and its files are what they should be."""

import zipfile
from pathlib import Path

import pytest
import release
import yaml

import companion

ROOT = Path(__file__).parents[2]


def test_version_and_date_are_the_same_everywhere() -> None:
    version, date, text = release.newest_entry((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == release.version() == companion.__version__
    assert version == citation["version"] == citation["preferred-citation"]["version"]
    assert date == citation["date-released"]
    assert "### " in text
    release.check(f"v{version}")
    with pytest.raises(SystemExit, match="agree"):
        release.check("v99.0.0")


def test_the_first_entry_is_the_one_that_is_released() -> None:
    old = "## [1.0.0] - 2027-01-01\n\n- B.\n"
    entries = "# Changelog\n\n## [1.1.0] - 2027-01-02\n\n### Added\n\n- A.\n\n" + old
    assert release.newest_entry(entries) == ("1.1.0", "2027-01-02", "### Added\n\n- A.")
    with pytest.raises(SystemExit, match=r"is 'Unreleased: 1\.1\.0'; a release needs"):
        release.newest_entry(f"# Changelog\n\n## Unreleased: 1.1.0\n\n{old}")


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
