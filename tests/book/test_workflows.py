"""What GitHub runs is valid and safe."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner
from python_version import NEWEST, OLDEST

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


def test_all_name_the_same_versions_of_python() -> None:
    versions = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    assert WORKFLOWS["tests"]["jobs"]["test"]["strategy"]["matrix"]["python"] == versions
    named = {
        "Makefile": " ".join(versions),
        "pyproject.toml": f'requires-python = ">={versions[0]}"',
    }
    for name in ("CONTRIBUTING.md", "README.md", "book/index.md", *named):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert {*re.findall(r"3\.\d+ to 3\.\d+", text)} == {f"{versions[0]} to {versions[-1]}"}
        assert named.get(name, "") in text


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
def test_the_published_branch_keeps_the_domain(tmp_path: Path) -> None:
    """With a repository on this disk for the one on GitHub."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("home", encoding="utf-8")
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(origin)], check=True)
    (step,) = (s for s in WORKFLOWS["publish"]["jobs"]["publish"]["steps"] if "git push" in str(s))
    env = {
        "PATH": f"{Path(shutil.which('git') or '').parent}:/usr/bin:/bin", "HOME": str(tmp_path),
        "TOKEN": "t", "GITHUB_SHA": "c0ffee", "GITHUB_REPOSITORY": "a/b",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{origin.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:t@github.com/a/b.git",
    }  # fmt: skip
    for domain, more in (("", set()), ("book.example.org", {"CNAME"})):
        command = ["bash", "-e", "-c", step["run"]]
        subprocess.run(command, cwd=tmp_path, env=env | {"BOOK_DOMAIN": domain}, check=True)
        show = ["git", "-C", str(origin), "ls-tree", "--name-only", "gh-pages"]
        names = subprocess.check_output(show, text=True).split()
        assert set(names) == {".nojekyll", "index.html"} | more
