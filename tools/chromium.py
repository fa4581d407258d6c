"""Find the browser that prints, judges and tests the pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

# First the one without windows, which costs less.
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
MISSING = (
    "no Chromium: install it, or run `python -m playwright install chromium` with .venv's Python"
)
"""What to say where there is none."""

ARGUMENTS = ["--no-sandbox", "--font-render-hinting=none"]
"""How to start it: letters as wide as on paper and most screens, not rounded to whole pixels."""


def find_chromium(playwright: "Playwright") -> Path | None:
    """Path of Chromium: the one that playwright has installed, else the system's, else None."""
    own = Path(playwright.chromium.executable_path)
    return own if own.exists() else next(system_browsers(), None)


def system_browsers() -> Iterator[Path]:
    """Paths of the system's browsers, without snaps.

    On Ubuntu `chromium` is a snap, and `chromium-browser` a script that starts it. A snap cannot
    use a profile under /tmp.
    """
    for found in filter(None, map(shutil.which, NAMES)):
        path = Path(found)
        with path.open("rb") as file:
            if not found.startswith("/snap/") and b"/snap/bin/" not in file.read(4096):
                yield path
