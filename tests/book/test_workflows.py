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

import companion

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


def ends(workflow: str, job: str, name: str, folder: Path, **environ: str) -> int:
    """Run a step of a workflow, with a repository on this disk for that on GitHub."""
    (step,) = (s for s in WORKFLOWS[workflow]["jobs"][job]["steps"] if s.get("name") == name)
    env = {
        "PATH": f"{Path(shutil.which('git') or '').parent}:/usr/bin:/bin", "HOME": str(folder),
        "TOKEN": "t", "GITHUB_SHA": "c0ffee", "GITHUB_REPOSITORY": "a/b", "GITHUB_REF_NAME": "main",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{(folder / 'origin.git').as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:t@github.com/a/b.git",
    }  # fmt: skip
    command = ["bash", "-e", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=env | environ, check=False).returncode


def git(folder: Path, *command: str) -> str:
    """Run git in a repository."""
    me = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
    return subprocess.check_output(["git", *me, "-C", str(folder), *command], text=True)


BASH = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("git"), reason="the step needs bash and git"
)


@BASH
def test_a_release_is_of_its_tag_and_has_the_newest_entry(tmp_path: Path) -> None:
    (tmp_path / "companion").mkdir()
    shutil.copy(ROOT / "companion" / "__init__.py", tmp_path / "companion")
    entries = "# Changes\n\n## [1.1.0] - 2027-01-02\n\n- A.\n\n## [1.0.0] - 2027-01-01\n\n- B.\n"
    (tmp_path / "CHANGELOG.md").write_text(entries, encoding="utf-8")
    for version, fails in ((companion.__version__, 0), ("99.0.0", 1)):
        step = "Refuse a tag of another version"
        assert ends("release", "build", step, tmp_path, GITHUB_REF_NAME=f"v{version}") == fails
    assert ends("release", "build", "Take the notes from the changelog", tmp_path) == 0
    assert (tmp_path / "notes.md").read_text(encoding="utf-8").strip() == "- A."


@BASH
def test_the_published_branch_keeps_the_domain(tmp_path: Path) -> None:
    site = tmp_path / "made" / "_build" / "html"
    site.mkdir(parents=True)
    (site / "index.html").write_text("home", encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--bare", "origin.git")
    for domain, more in (("", set()), ("book.example.org", {"CNAME"})):
        assert not ends(
            "publish", "publish", "Push the site to gh-pages", tmp_path, BOOK_DOMAIN=domain
        )
        names = git(tmp_path / "origin.git", "ls-tree", "--name-only", "gh-pages").split()
        assert set(names) == {".nojekyll", "index.html"} | more


@BASH
def test_notebooks_follow_the_text_of_their_chapters(tmp_path: Path) -> None:
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
        assert not ends("publish", "publish", "Commit the notebooks", tmp_path, GITHUB_SHA=commit)
        assert len(git(origin, "log", "--format=%h", "main").split()) == commits
        shutil.rmtree(tmp_path / "source")
    assert git(origin, "show", "main:book/notebooks/words.ipynb") == "no typo"
