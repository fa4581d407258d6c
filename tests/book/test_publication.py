"""Where the book is published, and what depends on that."""

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from ttv.publication import Publication, absolute, find_publication, name_address

REMOTES = {
    "https://x-access-token:ghs_secret@github.com/Some-One/a.book": "Some-One/a.book",
    "ssh://git@github.com/Some-One/a.book.git": "Some-One/a.book",
    "https://gitlab.com/some-one/book.git": None,
    "https://github.com.evil.example/some-one/book": None,
    "https://github.com/Some-One/a.book.git/": "Some-One/a.book",
}


@pytest.mark.skipif(not shutil.which("git"), reason="git is not here")
def test_the_runner_is_asked_before_the_remote(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert find_publication({}, tmp_path) == Publication()
    for url, repository in REMOTES.items():
        subprocess.run(["git", "config", "remote.origin.url", url], cwd=tmp_path, check=True)
        assert find_publication({"GITHUB_REPOSITORY": ""}, tmp_path).repository == repository
    environ = {"GITHUB_REPOSITORY": "c/d", "GITHUB_SHA": "c0ffee"}
    assert find_publication(environ, tmp_path) == Publication("c/d", "c0ffee")
    (tmp_path / "book").mkdir()  # a book inside another clone is not that repository
    assert find_publication({}, tmp_path / "book") == Publication()


def test_the_page_for_any_address_has_no_relative_link() -> None:
    names = ("href", "src", "action", "data-content_root")
    page = " ".join(f'<a {name}="./{name}.html">' for name in names)
    there = page.replace("./", "/r/")
    rest = ' <a href="/b"> <a href="mailto:c"> <a href="https://d.org"> <a href="#e"> <a title="f">'
    assert absolute(page + rest, "/r/") == there + rest


def test_the_address_of_the_site() -> None:
    assert Publication("Some-One/Book").site == "https://some-one.github.io/Book/"
    assert Publication("Some-One/some-one.github.io").site == "https://some-one.github.io/"
    assert Publication("a/b", domain="book.example.org").site == "https://book.example.org/"
    assert "/a/b/blob/gh-pages/" in str(Publication("a/b").colab_url("words.ipynb"))
    assert Publication().site is Publication().colab_url("a.ipynb") is None


def test_a_page_says_how_to_install_the_package_from_where_it_is() -> None:
    source = (Path(__file__).parents[2] / "book" / "one-file.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```sh\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)
    for publication, first in (
        (Publication(), "pip install .  # in a copy of the book's repository"),
        (Publication("a/b", "0f"), 'pip install "text-to-vectors @ git+https://github.com/a/b@0f"'),
    ):
        app: Any = SimpleNamespace(config=SimpleNamespace(publication=publication))
        page = new_document("page")
        page += nodes.literal_block(lines, lines, language="sh")
        name_address(app, page, "")
        (block,) = page.findall(nodes.literal_block)
        text = "\n".join([first, *lines.split("\n")[1:]])
        assert (block.astext(), block.rawsource, block["language"]) == (text, text, "sh")


def test_a_domain_of_its_own_is_a_host_alone() -> None:
    environ = {"GITHUB_REPOSITORY": "a/b", "BOOK_DOMAIN": "book.example.org"}
    assert find_publication(environ, Path()).domain == "book.example.org"
    assert find_publication(environ | {"BOOK_DOMAIN": ""}, Path()).domain is None
    for wrong in ("https://book.example.org/", "book.example.org/b", "book", "a b.org", "x.org\n"):
        with pytest.raises(ValueError, match=r"give the host alone, as in book\.example\.org"):
            find_publication(environ | {"BOOK_DOMAIN": wrong}, Path())
