"""What the page `wrong` has: entries, with their messages and their checks."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1].joinpath("book", "wrong.md").read_text(encoding="utf-8")
# The title of each entry, and what it says.
ENTRIES = re.findall(r"(?m)^(\S.*)\n: ((?:.+\n)+)", PAGE)
MESSAGES = {
    name: message.strip()
    for _, message, name in re.findall(r"\[(`+)(.+?)\1\]\{#(m-[\w-]+)\}", PAGE)
}


def checks() -> dict[str, list[str]]:
    """Return the lines of each check, by the last anchor before it in its entry.

    >>> checks()["gaps"]
    ['len(vocab) == max(vocab.values()) + 1']
    """
    found: dict[str, list[str]] = {}
    for title, said in ENTRIES:
        name = ""
        for part in re.finditer(r"\{#([\w-]+)\}|\*\*Check\*\* `(.+?)`", f"{title}\n{said}"):
            name = part[1] or name
            if part[2]:
                found.setdefault(name, []).append(part[2])
    return found


CHECKS = checks()
# What `test_wrong.py` tries, each on two programs; `test_wrong_checks.py` tries the rest.
OF_LIBRARIES = {
    "all-hidden", "last-token", "m-borrowed", "m-class", "m-empty", "m-stop", "m-stream",
    "no-generation-prompt", "s-cosine", "s-nan", "s-theta", "s-thinking", "setting-ignored",
    "template-changes",
}  # fmt: skip
