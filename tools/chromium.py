"""Find the browser that prints, judges and tests the pages."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "no Chromium: install it, or run `playwright install chromium`"
"""What to say where there is none."""


def find_chromium(playwright: "Playwright") -> Path | None:
    """Path of Chromium: the system's own, else the one that playwright has installed, else None."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    path = Path(found or playwright.chromium.executable_path)
    return path if path.exists() else None
