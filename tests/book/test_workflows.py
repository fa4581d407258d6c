"""What GitHub runs and what people run at home is valid, safe, and finds a Python and a browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import check_jsonschema
import chromium
import pytest
import yaml
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((GITHUB / "workflows").glob("*.yml"))
}


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        *((GITHUB / "workflows" / f"{name}.yml", "github-workflows") for name in WORKFLOWS),
        (GITHUB / "dependabot.yml", "dependabot"),
        (ROOT / "CITATION.cff", "citation-file-format"),
    ],
)
def test_what_github_reads_is_valid(path: Path, schema: str) -> None:
    options = ["--builtin-schema", f"vendor.{schema}"]
    done = CliRunner().invoke(check_jsonschema.main, [*options, str(path)])
    assert done.exit_code == 0, done.stdout


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_program_of_others_runs_beside_a_token_that_can_write(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        uses = [step["uses"] for step in job["steps"] if "uses" in step]
        if "write" in job.get("permissions", {}).values():
            assert [action.partition("@")[0] for action in uses] == ["actions/download-artifact"]
            assert not [s for s in job["steps"] if "make " in s.get("run", "")]
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("git"), reason="the step needs bash and git"
)
@pytest.mark.parametrize("domain", ["", "book.example.org"])
def test_the_published_branch_keeps_the_domain(tmp_path: Path, domain: str) -> None:
    """With a repository on this disk for the one on GitHub."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("home", encoding="utf-8")
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(origin)], check=True)
    jobs = WORKFLOWS["publish"]["jobs"].values()
    (step,) = (s for job in jobs for s in job["steps"] if "git push" in s.get("run", ""))
    env = {
        "PATH": f"{Path(shutil.which('git') or '').parent}:/usr/bin:/bin", "HOME": str(tmp_path),
        "TOKEN": "t", "GITHUB_SHA": "c0ffee", "GITHUB_REPOSITORY": "a/b", "BOOK_DOMAIN": domain,
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{origin.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:t@github.com/a/b.git",
    }  # fmt: skip
    subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env=env, check=True)

    def git(*arguments: str) -> str:
        return subprocess.check_output(["git", "-C", str(origin), *arguments], text=True)

    expected = {".nojekyll", "index.html"} | ({"CNAME"} if domain else set())
    assert set(git("ls-tree", "--name-only", "gh-pages").split()) == expected
    if domain:
        assert git("show", "gh-pages:CNAME") == f"{domain}\n"


PROGRAM = """\
#!/bin/sh
case "$*" in
*version.py) exec {python} -c "import runpy, sys; sys.version_info = ({version}, 0)
runpy.run_path('$1', run_name='__main__')" ;;
"-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
"-m pip config list") echo "{config}" ;;
*) echo "$*" >> asked ;;
esac
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere PyPI has torch for CPUs")
@pytest.mark.parametrize(
    ("version", "config", "asked"),
    [
        ("3, 10", "", 0),
        ("3, 15", "", 0),
        ("3, 14", "", 2),
        ("3, 11", "global.find-links='/wheels'", 1),
    ],
)
def test_make_chooses_torch_for_cpus_and_refuses_a_python_without_one(
    tmp_path: Path, version: str, config: str, asked: int
) -> None:
    """With a stand-in for Python and pip, which writes down what it is asked to install."""
    make = shutil.which("make") or pytest.skip("make is not here")
    for name in ("Makefile", "requirements.txt", "pyproject.toml", "tools/python_version.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / "python"
    python.write_text(
        PROGRAM.format(python=sys.executable, version=version, config=config), encoding="utf-8"
    )
    python.chmod(0o755)
    command = [make, "install", f"PYTHON={python}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = tmp_path / "asked"
    pip = lines.read_text(encoding="utf-8").splitlines() if lines.exists() else []
    assert len(pip) == asked
    if asked == 2:
        assert "--index-url https://download.pytorch.org/whl/cpu torch==" in pip[0]
    if not asked:
        said = f"needs Python 3.11 to 3.14, and this is Python {version.replace(', ', '.')}."
        assert done.returncode != 0
        assert said in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a script with a first line that names a shell")
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
