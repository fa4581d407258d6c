"""A release: its version is the same everywhere, and the changelog has it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import companion

ROOT = Path(__file__).parents[2]


def test_version_and_date_are_the_same_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    version, date = companion.__version__, citation["date-released"]
    assert re.findall(r"^## (.*)", changelog, re.MULTILINE)[0] == f"[{version}] - {date}"
    assert version == citation["version"] == citation["preferred-citation"]["version"]


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
