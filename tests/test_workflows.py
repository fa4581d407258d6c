import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
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


def test_there_is_a_run_on_the_newest_versions_each_week() -> None:
    newest = yaml.safe_load((ROOT / ".github" / "workflows" / "newest.yml").read_text())
    (schedule,) = newest[True]["schedule"]  # YAML 1.1 reads the key `on` as true
    *_time, day, month, weekday = schedule["cron"].split()
    assert (day, month) == ("*", "*")
    assert weekday.isdigit()
