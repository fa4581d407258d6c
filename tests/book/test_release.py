"""A release: its version is the same everywhere, and the changelog has it."""

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
    with pytest.raises(SystemExit, match="must begin"):
        release.newest_entry(f"# Changelog\n\n## Unreleased: 1.1.0\n\n{old}")
