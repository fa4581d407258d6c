"""Make `book/assets/apple-touch-icon.png`, the icon of the book on the first screen of a phone.

    python tools/once/touch_icon.py

It is the favicon, as a picture that fills its square: phones round the corners themselves.
"""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

ASSETS = Path(__file__).parents[2] / "book" / "assets"
SIZE = 180

if __name__ == "__main__":
    svg = (ASSETS / "favicon.svg").read_text(encoding="utf-8").replace('rx="5" ', "")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": SIZE, "height": SIZE})
        page.set_content(f"<style>html, body {{ margin: 0 }} svg {{ display: block }}</style>{svg}")
        target = ASSETS / "apple-touch-icon.png"
        page.screenshot(path=target)
        browser.close()
    print(f"{target.name}: {target.stat().st_size:,} bytes")
