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
# The lines of each check, by the last anchor before it.
CHECKS = {
    name: lines
    for name, _, said in (part.partition("}") for part in PAGE.split("{#")[1:])
    if (lines := re.findall(r"\*\*Check\*\* `(.+?)`", said))
}
