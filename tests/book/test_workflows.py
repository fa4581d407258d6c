"""What runs on GitHub, and what people run at home: the same versions, in the right order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import check_jsonschema
import chromium
import pytest
import python_version
import yaml
from click.testing import CliRunner
from colab import PYTHON

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
VERSIONS = [f"3.{minor}" for minor in range(11, 15)]
"""The versions of Python that the book promises to run on."""


def workflow(name: str) -> dict[Any, Any]:
    """Read a workflow. YAML 1.1 takes its key `on` for true."""
    text = (GITHUB / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    found: dict[Any, Any] = yaml.safe_load(text)
    return found


def commands(name: str, job: str) -> str:
    """Everything that a job runs, in order."""
    return "\n".join(step.get("run", "") for step in workflow(name)["jobs"][job]["steps"])


def violations(path: Path, schema: str) -> str:
    """What GitHub's published schema of a file finds wrong with it; empty if it is valid."""
    options = ["--output-format", "json", "--builtin-schema", f"vendor.{schema}"]
    done = CliRunner().invoke(check_jsonschema.main, [*options, str(path)])
    return done.stdout if done.exit_code else ""


@pytest.mark.parametrize(
    ("path", "schema", "right", "wrong"),
    [
        *((path, "github-workflows", "runs-on", "run-on") for path in WORKFLOWS),
        (GITHUB / "dependabot.yml", "dependabot", "directory:", "folder:"),
        (ROOT / "CITATION.cff", "citation-file-format", "type: software", "type: leaflet"),
    ],
)
def test_what_github_reads_is_valid_and_a_fault_in_it_would_be_found(
    tmp_path: Path, path: Path, schema: str, right: str, wrong: str
) -> None:
    assert not violations(path, schema)
    bad = tmp_path / path.name
    text = path.read_text(encoding="utf-8")
    bad.write_text(text.replace(right, wrong), encoding="utf-8")
    assert wrong.strip(":").removeprefix("type: ") in violations(bad, schema)


def test_dependabot_renews_the_actions_and_the_pins() -> None:
    updates = yaml.safe_load((GITHUB / "dependabot.yml").read_text())["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"github-actions", "pip"}


def test_all_workflows_use_one_version_of_an_action() -> None:
    used = {found for path in WORKFLOWS for found in re.findall(r"uses: (\S+)", path.read_text())}
    assert "actions/checkout@v5" in used
    assert len({action.partition("@")[0] for action in used}) == len(used)


# --- when ------------------------------------------------------------------------------------


def test_a_pull_request_and_a_tag_are_tested_once() -> None:
    on = workflow("tests")[True]
    assert set(on) == {"push", "pull_request", "workflow_dispatch"}
    assert on["push"] == {"branches": ["main", "master"]}


def test_what_make_test_leaves_out_runs_at_each_push() -> None:
    (job,) = [job for name, job in workflow("tests")["jobs"].items() if name != "test"]
    assert job["steps"][-1] == {"run": "make test-slow"}


def test_there_is_a_run_on_the_newest_versions_each_week() -> None:
    (schedule,) = workflow("newest")[True]["schedule"]
    *_time, day, month, weekday = schedule["cron"].split()
    assert (day, month) == ("*", "*")
    assert weekday.isdigit()


# --- which Python --------------------------------------------------------------------------------


def test_the_versions_of_python_are_the_same_everywhere() -> None:
    matrix = workflow("tests")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == VERSIONS
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert [python_version.OLDEST, python_version.NEWEST] == [(3, 11), (3, 14)]
    for name in ("README.md", "CONTRIBUTING.md", "Makefile"):
        assert "3.11 to 3.14" in (ROOT / name).read_text(encoding="utf-8")
    for name in ("newest", "publish", "release"):
        for job in workflow(name)["jobs"].values():
            (python,) = [s["with"] for s in job["steps"] if "setup-python" in s.get("uses", "")]
            assert python["python-version"] in VERSIONS
    newest = workflow("newest")["jobs"]["newest"]["steps"][1]["with"]["python-version"]
    assert newest == VERSIONS[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no make")
@pytest.mark.parametrize(("version", "fits"), [("3, 10", False), ("3, 15", False), ("3, 14", True)])
def test_make_refuses_a_python_that_torch_has_no_wheel_for(
    tmp_path: Path, version: str, fits: bool
) -> None:
    """A stand-in for another Python: it says that it is of that version, and makes no .venv."""
    make = shutil.which("make") or pytest.skip("make is not here")
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "tools/python_version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    other = tmp_path / "python"
    script = f"import runpy, sys; sys.version_info = ({version}, 0); "
    script += "runpy.run_path(sys.argv[1], run_name='__main__')"
    other.write_text(
        f'#!/bin/sh\n[ "$1" = -m ] && exit 9\nexec {sys.executable} -c "{script}" "$@"\n'
    )
    other.chmod(0o755)
    command = [make, "install", f"PYTHON={other}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    said = f"needs Python 3.11 to 3.14, and this is Python {version.replace(', ', '.')}. "
    assert (said + "Name another one: make PYTHON=python3.12" in done.stderr) is not fits
    assert ("-m venv .venv" in done.stdout) is fits


def test_the_weekly_job_runs_what_colab_runs() -> None:
    *_checkout, python, colab = workflow("newest")["jobs"]["colab"]["steps"]
    assert colab == {"run": "make colab"}
    assert f"python{python['with']['python-version']}" == PYTHON


def test_the_weekly_job_installs_every_group_that_its_tests_use() -> None:
    installed = set(re.findall(r"--group (\w+)", commands("newest", "newest")))
    assert installed == {"book", "test", "check"}


# --- what is published ---------------------------------------------------------------------------


def in_order(script: str, *steps: str) -> bool:
    """Whether a script has these steps, in this order."""
    places = [script.find(step) for step in steps]
    return places == sorted(places) and -1 not in places


def test_a_release_is_checked_and_tested_and_offers_the_pdf() -> None:
    release = workflow("release")
    assert release[True] == {"push": {"tags": ["v*"]}}
    assert in_order(
        commands("release", "release"),
        "release.py check", "make pdf", "make check test", "make dist", "gh release create",
    )  # fmt: skip
    assert "continue-on-error" not in str(release)


def test_what_is_published_was_tested_and_pages_is_asked_for_a_build() -> None:
    publish = workflow("publish")
    assert publish["permissions"] == {"contents": "write", "pages": "write"}
    assert in_order(
        commands("publish", "publish"), "make pdf", "make test", "git push --force", "/pages/builds"
    )
    # Only this last step may fail: without it the site is published as well, perhaps later.
    optional = [
        step.get("continue-on-error", False) for step in publish["jobs"]["publish"]["steps"]
    ]
    assert optional == [False] * (len(optional) - 1) + [True]


@pytest.mark.skipif(sys.platform == "win32", reason="the step runs in bash on Linux")
@pytest.mark.parametrize("domain", ["", "book.example.org"])
def test_the_published_branch_keeps_the_domain(tmp_path: Path, domain: str) -> None:
    """The step itself, with a repository on this disk for the one on GitHub."""
    site = tmp_path / "_build" / "html"
    site.mkdir(parents=True)
    (site / "index.html").write_text("home", encoding="utf-8")
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(origin)], check=True)
    (step,) = (s for s in workflow("publish")["jobs"]["publish"]["steps"] if "git push" in str(s))
    assert workflow("publish")["env"]["BOOK_DOMAIN"] == "${{ vars.BOOK_DOMAIN }}"
    environ = {
        "PATH": str(Path(shutil.which("git") or "").parent) + ":/usr/bin:/bin",
        "HOME": str(tmp_path), "TOKEN": "t", "GITHUB_SHA": "c0ffee", "GITHUB_REPOSITORY": "a/b",
        "BOOK_DOMAIN": domain, "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{origin.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:t@github.com/a/b.git",
    }  # fmt: skip
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=environ, check=True)

    def git(*arguments: str) -> str:
        return subprocess.check_output(["git", "-C", str(origin), *arguments], text=True)

    expected = {".nojekyll", "index.html"} | ({"CNAME"} if domain else set())
    assert set(git("ls-tree", "--name-only", "gh-pages").split()) == expected
    if domain:
        assert git("show", "gh-pages:CNAME") == f"{domain}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a script for Linux")
@pytest.mark.parametrize("given", [{}, {"GITHUB_REPOSITORY": "a/b", "GITHUB_SHA": "c0ffee"}])
def test_ci_tests_the_form_that_is_published(tmp_path: Path, given: dict[str, str]) -> None:
    for name, line in (
        ("make", 'echo "$GITHUB_REPOSITORY $GITHUB_SHA"'),
        ("chromium-headless-shell", ":"),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "a"], check=True)
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}"} | given
    said = subprocess.check_output([tmp_path / ".ci" / "run"], env=environ, text=True)
    assert set(said.split("\n")) - {""} == {
        " ".join(given.values()) if given else f"alice/text-to-vectors {commit}"
    }


# --- with which browser --------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="a script with a first line that names a shell")
def test_playwrights_own_browser_comes_first_and_a_snap_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"chromium-browser": "exec /snap/bin/chromium", "google-chrome": "exec chrome"}
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    own = tmp_path / "own"
    playwright: Any = SimpleNamespace(chromium=SimpleNamespace(executable_path=str(own)))
    assert chromium.find_chromium(playwright) == tmp_path / "google-chrome"
    own.touch()
    assert chromium.find_chromium(playwright) == own
    own.unlink()
    (tmp_path / "google-chrome").unlink()
    assert chromium.find_chromium(playwright) is None
