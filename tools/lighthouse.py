"""Let Lighthouse judge pages of the built book; fail below what they must reach.

    python tools/lighthouse.py FOLDER

The folder is where `make lighthouse` has installed Lighthouse. Each page is judged three times, and
the median counts: on a machine that does other things too, one run says little. Where the first two
suffice, so does the median, and the third is left out. The book is served as GitHub Pages would
serve it, compressed. The phone and its network are simulated from what was measured. Lighthouse
takes a phone for four times as slow as the machine; a machine that is slow itself, or busy, counts
in the runs after the first by what the run before has found its speed to be.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from chromium import MISSING, find_chromium
from playwright.sync_api import sync_playwright
from serve import SITE, SiteServer, serve

PAGES = {
    "desktop": ("book/index.html", "book/words.html", "book/sinusoids.html"),
    "mobile": ("book/start.html", "book/words.html", "book/playground.html"),
}
"""Pages of every kind: landing page, chapters, many figures and formulas, and the playground."""
FASTEST = {"desktop": 97, "mobile": 65}
"""The points that a page must have for its speed, on each device; of the others it needs all."""
PHONE = 500
"""The speed of a phone of the middle class, as the benchmark of Lighthouse counts it."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
RUNS = 3
Report = dict[str, dict[str, dict[str, object]]]


def judge(folder: Path, url: str, browser: Path, device: str, times: float) -> Report:
    """Run Lighthouse once on one page; without a preset it is a phone."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        flags = f"--headless=new --no-sandbox --user-data-dir={scratch}/profile"
        command = [str(Path(sys.executable).with_name("node"))]
        command += [str(folder / "node_modules" / "lighthouse" / "cli" / "index.js"), url]
        if device == "desktop":
            command += ["--preset=desktop"]
        else:
            command += [f"--throttling.cpuSlowdownMultiplier={times:.2f}"]
        command += ["--throttling-method=simulate", "--quiet", "--no-enable-error-reporting"]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags={flags}"]
        command += ["--output=json", f"--output-path={report}"]
        env = os.environ | {"CHROME_PATH": str(browser)}
        subprocess.run(command, check=True, env=env)
        content: Report = json.loads(report.read_text(encoding="utf-8"))
        return content


def score(report: Report, category: str) -> float:
    """Points of a hundred; none at all where Lighthouse could not judge."""
    points = report["categories"][category]["score"]
    return 100 * points if isinstance(points, (int, float)) else 0


def slowdown(report: Report) -> float:
    """How many times slower than this machine a phone is, as the machine was in a run."""
    index = report["environment"]["benchmarkIndex"]
    return min(4, max(1, index / PHONE)) if isinstance(index, (int, float)) else 4


def least(category: str, device: str) -> int:
    """Points that a page must have."""
    return FASTEST[device] if category == "performance" else 100


def suffices(report: Report, device: str) -> bool:
    """Whether a page has reached, in one run, what it must."""
    return all(round(score(report, name)) >= least(name, device) for name in CATEGORIES)


def complaints(report: Report) -> list[str]:
    """What costs the page points, but for the speed, which is told in numbers."""
    audits = report["audits"]
    return [
        f"{name}: {audit['title']}"
        for name, audit in audits.items()
        if audit["score"] is not None and audit["score"] != 1
        and audit["scoreDisplayMode"] in ("binary", "error")
    ]  # fmt: skip


def check_pages(folder: Path, server: SiteServer, device: str) -> bool:
    """Print the medians of each page; whether all of them suffice."""
    with sync_playwright() as playwright:
        browser = find_chromium(playwright) or sys.exit(MISSING)
    passed = True
    print(f"{device:<22}" + "".join(f"{category:>16}" for category in CATEGORIES))
    for page in PAGES[device]:
        reports: list[Report] = []
        times = 4.0
        while len(reports) < RUNS and sum(suffices(r, device) for r in reports) <= RUNS // 2:
            reports.append(judge(folder, f"{server.address}/{page}", browser, device, times))
            times = slowdown(reports[-1])
        medians = {
            category: statistics.median_low(round(score(report, category)) for report in reports)
            for category in CATEGORIES
        }
        print(f"{page:<22}" + "".join(f"{median:>16}" for median in medians.values()), flush=True)
        if any(medians[category] < least(category, device) for category in CATEGORIES):
            passed = False
            print("\n".join(f"    {line}" for line in complaints(reports[-1])), flush=True)
    print(f"{'least':<22}" + "".join(f"{least(name, device):>16}" for name in CATEGORIES))
    return passed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with serve(SITE) as server:
        passed = [check_pages(Path(sys.argv[1]), server, device) for device in PAGES]
    sys.exit(0 if all(passed) else "a page of the book is below what Lighthouse must give it")
