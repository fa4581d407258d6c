"""The reference of the companion is complete, and chapters and entries lead to each other."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from ttv import api

ROOT = Path(__file__).parents[2]
PAGES = [p.stem for p in sorted((ROOT / "book" / "api").glob("*.md")) if p.stem != "index"]
# Of the figures' module the functions: the colours are for those who draw figures.
NAMES = sorted(n for n in set(api.entries(ROOT).values()) if not re.search(r"plots\.[A-Z]", n))

BY_HAND = {"companion.bpe.BYTE_TO_UNICODE", "companion.bpe.GPT2_PATTERN"}
"""Entries that autodoc cannot write: private modules define and describe them."""
# Markup of reStructuredText, a type of typing, an address of an object, an empty entry.
LEFT = re.compile(r"``|`_\b|:\w+:`|^-{3,}$|object at 0x|Alias for|\btyping\b|NoneType", re.M)


@pytest.fixture(scope="module")
def entries(site: Path) -> dict[str, str]:
    """The HTML of each entry of the reference, down to the next."""
    html = "".join((site / "book" / "api" / f"{page}.html").read_text("utf-8") for page in PAGES)
    parts = re.split(r'<dt class="sig sig-object py" id="([\w.]+)">', html)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_public_name_has_an_entry_with_a_text(entries: dict[str, str]) -> None:
    assert len(NAMES) > 90
    assert [name for name in NAMES if "<p>" not in entries.get(name, "")] == []
    assert [name for name in entries if "._" in name and "__" not in name] == []
    # A name that two modules have is described once, where there is a page.
    same = "companion.errors.UnknownIdError", "companion.words.UnknownIdError"
    assert same in api.entries(ROOT).items()


@pytest.mark.parametrize("page", PAGES)
def test_docstrings_come_out_well(site: Path, page: str) -> None:
    soup = BeautifulSoup((site / "book" / "api" / f"{page}.html").read_text("utf-8"), "html.parser")
    (article,) = soup.select("article.bd-article")
    assert not article.select(".system-message")
    for code in article.select("pre"):
        code.decompose()
    assert not LEFT.search(article.get_text())


def test_entries_lead_to_the_chapters_that_use_them(entries: dict[str, str]) -> None:
    used = api.usage(ROOT)
    assert sum(map(len, used.values())) > 100
    for page, names in used.items():
        link = f'href="../{page.removeprefix("book/")}.html"'
        assert [name for name in names - BY_HAND if link not in entries[name]] == []


def test_what_code_uses() -> None:
    uses = ["from companion.bpe import (\n    BPETokenizer,\n    gpt2,\n)", "x = 1\nbpe.gpt2(x)"]
    other = ["x = 'from companion.bpe import gpt2'", "from companion.bpe import gpt22\nbpe.gpt22"]
    assert [c for c in [*uses, *other] if api.is_used("companion.bpe.gpt2", c)] == uses
