"""A release: its version is the same everywhere, and the changelog has it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import release
import yaml

import companion

ROOT = Path(__file__).parents[2]


def test_version_and_date_are_the_same_everywhere() -> None:
    version, date, text = release.newest_entry(release.CHANGELOG.read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == companion.__version__
    assert version == citation["version"] == citation["preferred-citation"]["version"]
    assert date == citation["date-released"]
    assert release.notes(f"v{version}") == text
    with pytest.raises(SystemExit, match=rf"tag is v99.0.0, .* is of {version}"):
        release.notes("v99.0.0")


def test_the_first_entry_is_the_one_that_is_released() -> None:
    old = "## [1.0.0] - 2027-01-01\n\n- B.\n"
    entries = "# Changelog\n\n## [1.1.0] - 2027-01-02\n\n### Added\n\n- A.\n\n" + old
    assert release.newest_entry(entries) == ("1.1.0", "2027-01-02", "### Added\n\n- A.")
    with pytest.raises(SystemExit, match="must begin"):
        release.newest_entry(f"# Changelog\n\n## Unreleased: 1.1.0\n\n{old}")


@pytest.mark.skipif(os.name == "nt", reason="the Makefile needs a shell")
def test_a_release_is_packed_in_a_folder_with_a_space(tmp_path: Path) -> None:
    """With a builder that names a version and builds nothing; the book is not built again."""
    folder = tmp_path / "a folder"
    programs, site = folder / ".venv" / "bin", folder / "_build" / "html"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "hatchling").write_text("#!/bin/sh\nmkdir -p dist; echo 1.0\n")
    (programs / "hatchling").chmod(0o755)
    site.mkdir(parents=True)
    (site / "text-to-vectors.pdf").touch()
    shutil.copy(ROOT / "Makefile", folder)
    subprocess.run(["make", "--old-file=pdf", "dist", "MAKE=true"], cwd=folder, check=True)
    with zipfile.ZipFile(folder / "dist" / "text-to-vectors-1.0-site.zip") as packed:
        assert "text-to-vectors-1.0-site/text-to-vectors.pdf" in packed.namelist()
