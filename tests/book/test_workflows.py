"""What GitHub runs and reads is valid, safe and of one version."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

import companion

ROOT = Path(__file__).parents[2]
FILES = {
    "github-workflows": sorted(ROOT.glob(".github/workflows/*.yml")),
    "dependabot": [ROOT / ".github" / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8"))
             for path in FILES["github-workflows"]}  # fmt: skip


@pytest.mark.parametrize("schema", FILES)
def test_what_github_reads_is_valid(schema: str) -> None:
    command = ["--builtin-schema", f"vendor.{schema}", *map(str, FILES[schema])]
    done = CliRunner().invoke(check_jsonschema.main, command)
    assert done.exit_code == 0, done.stdout


def test_version_and_date_are_the_same_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    version, date = companion.__version__, citation["date-released"]
    assert re.findall(r"^## (.*)", changelog, re.MULTILINE)[0] == f"[{version}] - {date}"
    assert version == citation["version"] == citation["preferred-citation"]["version"]


def test_all_name_the_same_versions_of_python() -> None:
    versions = WORKFLOWS["tests"]["jobs"]["test"]["strategy"]["matrix"]["python"]
    oldest, newest = versions[0], versions[-1]
    named = {
        "Makefile": f"\nPYTHONS := {' '.join(versions)}\n",
        "pyproject.toml": f'requires-python = ">={oldest}"',
    }
    for name in ("CONTRIBUTING.md", "README.md", "book/index.md", *named):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert {*re.findall(r"3\.\d+ to 3\.\d+", text)} == {f"{oldest} to {newest}"}
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


def publish(name: str, folder: Path, **environ: str) -> None:
    """Run a step that publishes, with a repository on this disk for that on GitHub."""
    steps = WORKFLOWS["publish"]["jobs"]["publish"]["steps"]
    (command,) = (step["run"] for step in steps if step.get("name") == name)
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "TOKEN": "t", "GITHUB_SHA": "c0ffee",
        "GITHUB_REPOSITORY": "a/b", "GITHUB_REF_NAME": "main", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{(folder / 'origin.git').as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:t@github.com/a/b.git",
    }  # fmt: skip
    subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=env | environ, check=True)


def git(folder: Path, *command: str) -> str:
    """Run git in a repository."""
    me = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    return subprocess.check_output(["git", *me, "-C", str(folder), *command], text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="the steps need bash")
def test_notebooks_follow_the_text_and_the_site_keeps_its_domain(tmp_path: Path) -> None:
    origin, mine, made = (tmp_path / name for name in ("origin.git", "mine", "made"))
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch", "main", str(origin))
    git(tmp_path, "init", "--quiet", "--initial-branch", "main", str(mine))
    for folder, text in ((mine, "a typo"), (made, "no typo")):
        (folder / "book" / "notebooks").mkdir(parents=True)
        (folder / "book" / "notebooks" / "words.ipynb").write_text(text, encoding="utf-8")
    git(mine, "add", "--all")
    git(mine, "commit", "--quiet", "--message", "A chapter")
    git(mine, "push", "--quiet", origin.as_uri(), "main")
    sha = git(mine, "rev-parse", "HEAD").strip()
    for commit, commits in (("an older one", 1), (sha, 2), (sha, 2)):
        publish("Commit the notebooks", tmp_path, GITHUB_SHA=commit)
        assert len(git(origin, "log", "--format=%h", "main").split()) == commits
        shutil.rmtree(tmp_path / "source")
    assert git(origin, "show", "main:book/notebooks/words.ipynb") == "no typo"
    (made / "_build" / "html").mkdir(parents=True)
    for domain, files in (("", ".nojekyll"), ("book.example.org", ".nojekyll\nCNAME")):
        publish("Push the site to gh-pages", tmp_path, BOOK_DOMAIN=domain)
        assert git(origin, "ls-tree", "--name-only", "gh-pages").strip() == files
