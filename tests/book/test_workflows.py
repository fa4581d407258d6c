import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from colab import PYTHON

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def violations(path: Path) -> str:
    """What the published schema of workflow files has to say of one; empty if it is valid."""
    command = [sys.executable, "-m", "check_jsonschema", "--output-format", "json"]
    command += ["--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid(path: Path) -> None:
    assert not violations(path)


def test_an_invalid_workflow_would_be_found(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text((ROOT / ".github/workflows/tests.yml").read_text().replace("runs-on", "run-on"))
    assert "run-on" in violations(bad)


def test_the_matrix_covers_what_the_readme_promises() -> None:
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    matrix = tests["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_a_release_is_checked_and_tested_before_it_is_made() -> None:
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert release[True] == {"push": {"tags": ["v*"]}}  # the key `on`, see below
    script = "\n".join(step.get("run", "") for step in release["jobs"]["release"]["steps"])
    steps = ["release.py check", "make check test", "make pdf dist", "gh release create"]
    places = [script.index(step) for step in steps]
    assert places == sorted(places)
    assert "continue-on-error" not in str(release)


def test_what_colab_runs_is_run_each_week() -> None:
    newest = yaml.safe_load((ROOT / ".github" / "workflows" / "newest.yml").read_text())
    *_checkout, python, colab = newest["jobs"]["colab"]["steps"]
    assert colab == {"run": "make colab"}
    assert f"python{python['with']['python-version']}" == PYTHON


def test_all_workflows_use_one_version_of_an_action() -> None:
    used = {found for path in WORKFLOWS for found in re.findall(r"uses: (\S+)", path.read_text())}
    assert "actions/checkout@v5" in used
    assert len({action.partition("@")[0] for action in used}) == len(used)


def test_there_is_a_run_on_the_newest_versions_each_week() -> None:
    newest = yaml.safe_load((ROOT / ".github" / "workflows" / "newest.yml").read_text())
    (schedule,) = newest[True]["schedule"]  # YAML 1.1 reads the key `on` as true
    *_time, day, month, weekday = schedule["cron"].split()
    assert (day, month) == ("*", "*")
    assert weekday.isdigit()
