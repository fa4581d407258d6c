"""Let Lighthouse judge pages of the built book, as on a desktop; fail below what they must reach.

    python tools/lighthouse.py FOLDER

The folder is where `make lighthouse` has installed Lighthouse. Each page is judged three times, and
the median counts: on a machine that does other things too, one run says little. Where the first two
suffice, so does the median, and the third is left out. The book is served as GitHub Pages would
serve it, compressed.
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

PAGES = ("book/index.html", "book/words.html", "book/sinusoids.html")
"""The landing page, a chapter, and one with many figures."""
LEAST = {"performance": 97, "accessibility": 100, "best-practices": 100, "seo": 100}
RUNS = 3
Report = dict[str, dict[str, dict[str, object]]]


def judge(folder: Path, url: str, browser: Path) -> Report:
    """Run Lighthouse once on one page."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        flags = f"--headless=new --no-sandbox --user-data-dir={scratch}/profile"
        command = [str(Path(sys.executable).with_name("node"))]
        command += [str(folder / "node_modules" / "lighthouse" / "cli" / "index.js"), url]
        command += ["--preset=desktop", "--quiet", "--no-enable-error-reporting"]
        command += [f"--only-categories={','.join(LEAST)}", f"--chrome-flags={flags}"]
        command += ["--output=json", f"--output-path={report}"]
        env = os.environ | {"CHROME_PATH": str(browser)}
        subprocess.run(command, check=True, env=env)
        content: Report = json.loads(report.read_text(encoding="utf-8"))
        return content


def score(report: Report, category: str) -> float:
    """Points of a hundred; none at all where Lighthouse could not judge."""
    points = report["categories"][category]["score"]
    return 100 * points if isinstance(points, (int, float)) else 0


def suffices(report: Report) -> bool:
    """Whether a page has reached, in one run, what it must."""
    return all(round(score(report, category)) >= least for category, least in LEAST.items())


def complaints(report: Report) -> list[str]:
    """What costs the page points, but for the speed, which is told in numbers."""
    audits = report["audits"]
    return [
        f"{name}: {audit['title']}"
        for name, audit in audits.items()
        if audit["score"] is not None and audit["score"] != 1
        and audit["scoreDisplayMode"] in ("binary", "error")
    ]  # fmt: skip


def check_pages(folder: Path, server: SiteServer) -> bool:
    """Print the medians of each page; whether all of them suffice."""
    with sync_playwright() as playwright:
        browser = find_chromium(playwright) or sys.exit(MISSING)
    passed = True
    print(f"{'page':<22}" + "".join(f"{category:>16}" for category in LEAST))
    for page in PAGES:
        reports: list[Report] = []
        while len(reports) < RUNS and sum(map(suffices, reports)) <= RUNS // 2:
            reports.append(judge(folder, f"{server.address}/{page}", browser))
        medians = {
            category: statistics.median_low(round(score(report, category)) for report in reports)
            for category in LEAST
        }
        print(f"{page:<22}" + "".join(f"{median:>16}" for median in medians.values()), flush=True)
        if any(medians[category] < least for category, least in LEAST.items()):
            passed = False
            print("\n".join(f"    {line}" for line in complaints(reports[-1])), flush=True)
    print(f"{'least':<22}" + "".join(f"{least:>16}" for least in LEAST.values()))
    return passed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with serve(SITE) as server:
        passed = check_pages(Path(sys.argv[1]), server)
    sys.exit(0 if passed else "a page of the book is below what Lighthouse must give it")
