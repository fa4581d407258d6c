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


@pytest.mark.skipif(sys.platform == "win32", reason="GitHub runs these steps on Linux")
def test_a_release_is_of_its_tag_and_has_the_newest_entry(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    steps = {step.get("name"): step.get("run") for step in workflow["jobs"]["build"]["steps"]}
    (tmp_path / "companion").mkdir()
    shutil.copy(ROOT / "companion" / "__init__.py", tmp_path / "companion")
    entries = "# Changes\n\n## [1.1.0] - 2027-01-02\n\n- A.\n\n## [1.0.0] - 2027-01-01\n\n- B.\n"
    (tmp_path / "CHANGELOG.md").write_text(entries, encoding="utf-8")

    def ends(name: str, version: str = companion.__version__) -> int:
        env = {"GITHUB_REF_NAME": f"v{version}", "PATH": os.environ["PATH"]}
        command = ["bash", "-e", "-c", steps[name]]
        return subprocess.run(command, cwd=tmp_path, env=env, check=False).returncode

    assert ends("Refuse a tag of another version") == 0
    assert ends("Refuse a tag of another version", "99.0.0") == 1
    assert ends("Take the notes from the changelog") == 0
    assert (tmp_path / "notes.md").read_text(encoding="utf-8").strip() == "- A."


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
