"""Where the book is published, and everything in it that depends on that.

Nothing in the repository says where it lives: a fork publishes itself without an edit. Where it
is not known, the book has no button and no link that would need to know.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

_REMOTE = re.compile(r"(?:\w+://)?(?:[^@/]+@)?github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_RELATIVE = re.compile(r'( (?:href|src|action|data-content_root)=")(?![a-z][a-z+.-]*:|/|#)(?:\./)?')
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}", re.IGNORECASE)
_INSTALL = """\
# Install the book's companion package, here in Colab; torch and numpy stay as they are.
try:
    import companion
except ModuleNotFoundError:
    %pip install --quiet"""
_FROM_A_COPY = "pip install .  # in a copy of the book's repository"


class Publication(NamedTuple):
    """A place on GitHub where the book is published, or none."""

    repository: str | None = None  # owner/name
    commit: str | None = None  # without it links lead to the default branch
    domain: str | None = None  # such as book.example.org; without it the site is on github.io

    @property
    def site(self) -> str | None:
        """Address of the published book, with a slash at its end."""
        owner, _, name = (self.repository or "").partition("/")
        host = f"{owner.lower()}.github.io"
        folder = "" if self.domain or name.lower() == host else f"{name}/"
        return f"https://{self.domain or host}/{folder}" if owner else None

    def colab_url(self, notebook: str) -> str | None:
        at = f"github/{self.repository}/blob/gh-pages/notebooks/{notebook}"
        return f"https://colab.research.google.com/{at}" if self.repository else None

    @property
    def requirement(self) -> str | None:
        """What pip installs, in quotation marks."""
        at = f"@{self.commit}" if self.commit else ""
        address = f'"text-to-vectors @ git+https://github.com/{self.repository}{at}"'
        return address if self.repository else None

    def install_cell(self) -> str | None:
        return f"{_INSTALL} {self.requirement}" if self.requirement else None


def find_publication(environ: Mapping[str, str], folder: Path) -> Publication:
    # GitHub's runners say it in `GITHUB_REPOSITORY`, a clone in its remote `origin`.
    domain = environ.get("BOOK_DOMAIN") or None
    if domain and not _DOMAIN.fullmatch(domain):
        raise ValueError(f"BOOK_DOMAIN is {domain!r}; give the host alone, as in book.example.org")
    if named := environ.get("GITHUB_REPOSITORY"):
        return Publication(named, environ.get("GITHUB_SHA") or None, domain)
    # Without a .git of its own it may be unpacked inside another repository.
    if not ((folder / ".git").exists() and shutil.which("git")):
        return Publication(domain=domain)
    command = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    match = _REMOTE.fullmatch(done.stdout.strip())
    return Publication(match[1] if match else None, domain=domain)


def _configure(app: Sphinx, config: Config) -> None:
    publication = config.publication = find_publication(os.environ, Path(app.srcdir))
    options = config.html_theme_options
    options.pop("repository_url", None)  # Jupyter Book puts its own here where none is named
    if publication.site:
        options["repository_url"] = f"https://github.com/{publication.repository}"
        options["use_repository_button"] = options["use_issues_button"] = True
        config.html_baseurl = config.html_context["site"] = publication.site
    # The book is offered as a PDF where `make pdf` has printed it and no page of it is newer.
    printed = Path(app.outdir).parent / "text-to-vectors.pdf"
    newest = max(page.stat().st_mtime for page in Path(app.srcdir).glob("book/*.md"))
    if printed.exists() and printed.stat().st_mtime >= newest:
        config.html_extra_path, config.html_context["pdf"] = [str(printed)], printed.name


def absolute(html: str, prefix: str) -> str:
    """Let the links of a page at the root of a site begin with the path of the site."""
    return _RELATIVE.sub(rf"\g<1>{prefix}", html)


def finish(app: Sphinx, site: Path) -> None:
    """Let the page for addresses that lead nowhere find the site: it is shown under any of them."""
    page = site / "404.html"
    # Without an address the site is taken to have a host to itself.
    prefix = urlsplit(app.config.html_baseurl).path or "/"
    page.write_text(absolute(page.read_text("utf-8"), prefix), encoding="utf-8", newline="\n")


def name_address(app: Sphinx, page: nodes.document, _: str) -> None:
    """Install the package from its address, in the lines of a page that install it from a copy."""
    requirement = app.config.publication.requirement
    for block in [b for b in page.findall(nodes.literal_block) if _FROM_A_COPY in b.astext()]:
        if requirement:
            text = block.astext().replace(_FROM_A_COPY, f"pip install {requirement}")
            block.replace_self(nodes.literal_block(text, text, **block.attributes))


def setup(app: Sphinx) -> None:
    # After the notebook is written (900), which depends on nothing but the repository.
    app.connect("doctree-resolved", name_address, priority=950)
    app.add_config_value("publication", Publication(), "html", types=[Publication])
    app.connect("config-inited", _configure)
