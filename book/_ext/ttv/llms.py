"""Write `llms.txt`, the contents of the book for programs, and each page as Markdown beside it."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from ttv.versions import with_versions


def finish(app: Sphinx, folder: Path) -> None:
    lines = [f"# {app.config.project}", ""]
    for page in app.env.collect_relations():
        source = Path(app.env.doc2path(page))
        if source.suffix == ".md":
            text = with_versions(source.read_text(encoding="utf-8"))
            (folder / f"{page}.md").write_text(text, encoding="utf-8", newline="\n")
            found = re.search(r"(?m)^    description: (.*)$", text)
            about = f": {found[1].strip(chr(34))}" if found else ""
            lines.append(f"- [{app.env.titles[page].astext()}]({page}.md){about}")
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
