"""Find the browser that prints, judges and tests the pages."""

import shutil
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
    """Path of Chromium: the one that playwright has installed, else the system's, else None.

    On Ubuntu `chromium` is a snap, and `chromium-browser` a script that starts it. A snap cannot
    use a profile under /tmp.
    """
    own = Path(playwright.chromium.executable_path)
    for path in [own, *map(Path, filter(None, map(shutil.which, NAMES)))]:
        if path.exists() and not path.is_relative_to("/snap"):
            with path.open("rb") as file:
                if b"/snap/bin/" not in file.read(4096):
                    return path
    return None
