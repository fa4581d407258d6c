"""Where the book is published, and everything in it that depends on that.

Nothing in the repository says where it lives. On GitHub's runners `GITHUB_REPOSITORY` does, in a
clone its `origin` remote does; elsewhere nobody does, and then the book has no button and no link
that would need to know. So a fork publishes itself without an edit. A site with a domain of its own
names it in `BOOK_DOMAIN`.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

BRANCH = "gh-pages"
"""The branch that holds the published site, its notebooks included."""

_REMOTE = re.compile(
    r"""(?: (?:https?|ssh|git):// )? (?:[^@/]+@)?
        github\.com [:/] (?P<owner>[\w.-]+) / (?P<name>[\w.-]+?) (?:\.git)? /?""",
    re.VERBOSE,
)
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}", re.IGNORECASE)


@dataclass(frozen=True)
class Publication:
    """A place on GitHub where the book is published, or none."""

    repository: str | None = None  # owner/name
    commit: str | None = None  # without it links lead to the default branch
    domain: str | None = None  # such as book.example.org; without it the site is on github.io

    @property
    def repository_url(self) -> str | None:
        """Address of the repository."""
        return f"https://github.com/{self.repository}" if self.repository else None

    @property
    def site(self) -> str | None:
        """Address of the published book, with a slash at its end."""
        if not self.repository:
            return None
        if self.domain:
            return f"https://{self.domain}/"
        owner, name = self.repository.split("/")
        host = f"{owner.lower()}.github.io"
        return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"

    def colab_url(self, notebook: str) -> str | None:
        """Address that opens a published notebook in Colab."""
        if not self.repository:
            return None
        host = "https://colab.research.google.com/github"
        return f"{host}/{self.repository}/blob/{BRANCH}/notebooks/{notebook}"

    def install_cell(self) -> str | None:
        """Source of the first cell of a published notebook."""
        if not self.repository:
            return None
        at = f"@{self.commit}" if self.commit else ""
        return install_cell(f"text-to-vectors @ git+{self.repository_url}{at}")


def button(name: str, text: str, url: str, icon: str, tooltip: str) -> dict[str, str]:
    """Describe a button at the head of a page as the theme wants it."""
    found = {"type": "link", "url": url, "text": text, "tooltip": tooltip, "icon": icon}
    return {**found, "label": name}


def install_cell(requirement: str) -> str:
    """Source of a cell that installs the companion package where it is missing.

    pip leaves every package alone that is there already and new enough; the companion asks for
    no version newer than Colab's.
    """
    return (
        "# Install the book's companion package, here in Colab; torch and numpy stay as they are.\n"
        "try:\n"
        "    import companion\n"
        "except ModuleNotFoundError:\n"
        f'    %pip install --quiet "{requirement}"'
    )


def find_publication(environ: Mapping[str, str], folder: Path) -> Publication:
    """Find out where the book of a folder is published."""
    domain = environ.get("BOOK_DOMAIN") or None
    # With more than the name of a host every canonical link would be wrong.
    if domain and not _DOMAIN.fullmatch(domain):
        raise ValueError(f"BOOK_DOMAIN is {domain!r}; give the host alone, as in book.example.org")
    named = environ.get("GITHUB_REPOSITORY", "")
    if named:
        return Publication(named, environ.get("GITHUB_SHA") or None, domain)
    return Publication(parse_remote(_origin(folder)), domain=domain)


def parse_remote(url: str) -> str | None:
    """Read ``owner/name`` from the URL of a remote on GitHub; None for any other."""
    match = _REMOTE.fullmatch(url.strip())
    return f"{match['owner']}/{match['name']}" if match else None


def _origin(folder: Path) -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # A book unpacked inside another repository is not that repository.
        top = Path(git("rev-parse", "--show-toplevel"))
        return git("remote", "get-url", "origin") if top.resolve() == folder.resolve() else ""
    except (OSError, subprocess.CalledProcessError):
        return ""  # no git, no repository, or no such remote


def _configure(app: Sphinx, config: Config) -> None:
    publication = find_publication(os.environ, Path(app.srcdir))
    config.publication = publication
    options = config.html_theme_options
    # Jupyter Book puts its own repository here where none is named.
    options.pop("repository_url", None)
    if publication.repository_url and publication.site:
        options["repository_url"] = publication.repository_url
        options["use_repository_button"] = True
        options["use_issues_button"] = True
        config.html_baseurl = publication.site
        config.html_context["site"] = publication.site


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_config_value("publication", Publication(), "html", types=[Publication])
    app.connect("config-inited", _configure)
