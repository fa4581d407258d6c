"""Let Lighthouse judge pages of the built book; fail below what they must reach.

    python tools/lighthouse.py FOLDER

The folder is where `make lighthouse` has installed Lighthouse. What else happens on the machine
only takes points, so a page is done whose first run has enough, and as much more as its points
swing. Of all others the median of three runs counts. The book is served as GitHub Pages would
serve it, compressed.

The phone and its network are simulated from what was measured, so a machine that does other things
too would make the phone slow. Two things keep that out of the points. A task of the page counts as
long as the processor worked on it, not as long as it waited for the processor. And the browser
shows the page as soon as it can: it would else hold the empty page before it, and lose whole
seconds where it is late with the first picture.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from chromium import MISSING, find_chromium
from playwright.sync_api import sync_playwright
from serve import SITE, SiteServer, serve

PAGES = {
    "desktop": ("book/index.html", "book/words.html", "book/sinusoids.html"),
    "mobile": ("book/start.html", "book/words.html", "book/playground.html"),
}
"""Pages of every kind: landing page, chapters, many figures and formulas, and the playground."""
FASTEST = {"desktop": 97, "mobile": 90}
"""The points that a page must have for its speed, on each device; of the others it needs all."""
SLOWER = {"desktop": 1, "mobile": 4}
"""How many times slower than this machine a device is; these are the factors of Lighthouse."""
SWING = {"desktop": 2, "mobile": 4}
"""How far the points of a page for its speed may differ between two runs."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
Report = dict[str, dict[str, dict[str, object]]]


def judge(folder: Path, url: str, browser: Path, device: str, categories: Iterable[str]) -> Report:
    """Run Lighthouse once on one page; without a preset it is a phone."""
    with tempfile.TemporaryDirectory() as scratch:
        report, gathered = Path(scratch) / "report.json", Path(scratch) / "gathered"
        flags = "--headless=new --no-sandbox --disable-features=PaintHolding"
        command = [str(Path(sys.executable).with_name("node"))]
        command += [str(folder / "node_modules" / "lighthouse" / "cli" / "index.js"), url]
        if device == "desktop":
            command += ["--preset=desktop"]
        command += ["--throttling-method=simulate", "--quiet", "--no-enable-error-reporting"]
        command += [f"--only-categories={','.join(categories)}", "--output=json"]
        command += [f"--chrome-flags={flags} --user-data-dir={scratch}/profile"]
        env = os.environ | {"CHROME_PATH": str(browser)}
        subprocess.run([*command, f"--gather-mode={gathered}"], check=True, env=env)
        times = SLOWER[device] * worked(gathered / "trace.json")
        settings = json.loads((gathered / "artifacts.json").read_text(encoding="utf-8"))
        settings["settings"]["throttling"]["cpuSlowdownMultiplier"] = times
        (gathered / "artifacts.json").write_text(json.dumps(settings), encoding="utf-8")
        command += [f"--throttling.cpuSlowdownMultiplier={times}", f"--output-path={report}"]
        subprocess.run([*command, f"--audit-mode={gathered}"], check=True, env=env)
        content: Report = json.loads(report.read_text(encoding="utf-8"))
        return content


def worked(trace: Path) -> float:
    """Share of the time of a page's tasks in which the processor worked on them."""
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    page = max((e for e in events if e["name"] == "navigationStart"), key=lambda e: e["ts"])
    tasks = [e for e in events if e["name"] == "RunTask" and e["tid"] == page["tid"]
             and e["pid"] == page["pid"] and "tdur" in e]  # fmt: skip
    share: float = sum(e["tdur"] for e in tasks) / sum(e["dur"] for e in tasks)
    return share


def score(report: Report, category: str) -> float:
    """Points of a hundred; none at all where Lighthouse could not judge."""
    points = report["categories"][category]["score"]
    return 100 * points if isinstance(points, (int, float)) else 0


def least(category: str, device: str) -> int:
    """Points that a page must have."""
    return FASTEST[device] if category == "performance" else 100


def complaints(report: Report) -> list[str]:
    """What costs the page points, but for the speed, which is told in numbers."""
    audits = report["audits"]
    return [
        f"{name}: {audit['title']}"
        for name, audit in audits.items()
        if audit["score"] is not None and audit["score"] != 1
        and audit["scoreDisplayMode"] in ("binary", "error")
    ]  # fmt: skip


def check_page(
    folder: Path, browser: Path, address: str, device: str, page: str
) -> tuple[bool, list[str]]:
    """Whether the points of a page suffice, and lines that say them."""
    url = f"{address}/{page}"
    report = judge(folder, url, browser, device, CATEGORIES)
    points = {category: round(score(report, category)) for category in CATEGORIES}
    speeds = [points["performance"]]  # the points for all else do not swing
    if speeds[0] < FASTEST[device] + SWING[device]:
        more = [judge(folder, url, browser, device, ["performance"]) for _ in range(2)]
        speeds += [round(score(report, "performance")) for report in more]
    points["performance"] = statistics.median_low(speeds)
    lines = [f"{page:<22}" + "".join(f"{number:>16}" for number in points.values())]
    suffices = all(points[category] >= least(category, device) for category in CATEGORIES)
    if not suffices:
        lines += [f"    {line}" for line in complaints(report)]
    return suffices, lines


def check_pages(folder: Path, server: SiteServer) -> bool:
    """Print the points of each page on each device; whether all of them suffice."""
    with sync_playwright() as playwright:
        browser = find_chromium(playwright) or sys.exit(MISSING)
    passed = True
    # Two pages at a time: what one costs the other is kept out of the points.
    with ThreadPoolExecutor(2) as pool:
        check = partial(check_page, folder, browser, server.address)
        judged = {device: pool.map(partial(check, device), PAGES[device]) for device in PAGES}
        for device, pages in judged.items():
            print(f"{device:<22}" + "".join(f"{category:>16}" for category in CATEGORIES))
            for suffices, lines in pages:
                passed &= suffices
                print("\n".join(lines), flush=True)
            print(f"{'least':<22}" + "".join(f"{least(name, device):>16}" for name in CATEGORIES))
    return passed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with serve(SITE) as server:
        passed = check_pages(Path(sys.argv[1]), server)
    sys.exit(0 if passed else "a page of the book is below what Lighthouse must give it")
