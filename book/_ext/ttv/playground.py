"""Make what the playground loads, and the links into it and into the page that opens a tokenizer.

A chapter links to a page with its own example by the roles `playground` and `open-tokenizer`:

    {playground}`see how it falls apart <text=unbelievability&tokenizer=bert>`
"""

import base64
import gzip
import hashlib
import json
import posixpath
import re
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import ReferenceRole

from companion.bpe import gpt2, o200k
from companion.story import SENTENCE, load_story
from companion.unicode import ranges_of
from companion.unigram import train_unigram
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab
from workbook.cuts import cuts_of, merges_of
from workbook.rows import nearest_rows, trained_rows

DATA = "algorithms/data"
SHEETS = ("live/live.css", "playground/playground.css")
ASSETS = {  # in the order in which they need each other
    "book/playground": (
        *SHEETS, "algorithms/data/files.js", "algorithms/unicode.js", "algorithms/words.js",
        "algorithms/bpe.js", "algorithms/wordpiece.js", "algorithms/unigram.js",
        "algorithms/windows.js", "algorithms/vectors.js", "algorithms/vocabularies.js",
        "drawing/dom.js", "drawing/cuts.js", "drawing/sums.js", "playground/link.js",
        "playground/panel-bytes.js", "playground/panel-tokens.js", "playground/panel-windows.js",
        "playground/app.js",
    ),
    "book/open-tokenizer": (
        *SHEETS, "open/open.css", "algorithms/unicode.js", "algorithms/data/opened.js",
        "drawing/dom.js", "open/rows.js", "open/page.js",
    ),
}  # fmt: skip


def classes(*names: str) -> bytes:
    lines = ([name, *(f"{a:X}-{b:X}" for a, b in ranges_of(name))] for name in names)
    return "".join(" ".join(line) + "\n" for line in lines).encode()


def neighbours() -> bytes:
    """Return the tokens that have a row, a zero, and the nearest rows of each in both tables."""
    # Of a table first the low bytes of the places, then the high ones, then by how much each cosine
    # is below the one before, in hundredths.
    tokens, found = nearest_rows()
    packed = "\n".join(tokens).encode() + b"\0"
    for places, cosines in found.values():
        drops = -np.diff((100 * cosines.numpy()).round(), prepend=100)
        packed += np.array([places % 256, places // 256, drops], np.uint8).tobytes()
    return packed


def rows() -> bytes:
    """Return ids and numbers of the trained rows, in ten thousandths: a plane for each column."""
    ids, numbers = trained_rows()
    planes = np.zeros((16, len(numbers)), "<i2")
    planes[0, : len(ids)], planes[1:] = ids, (1e4 * numbers.T).round()
    return planes.tobytes()


def content() -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the vocabularies, and where each cuts the text that the page begins with."""
    story = load_story()
    vocab, unigram = build_vocab(story, ["<unk>"]), train_unigram(story, 400)
    tokenizers: dict[str, Any] = {"gpt2": gpt2(), "o200k": o200k(), "bert": bert_uncased()}
    tokenizers |= {"words": WordTokenizer(vocab, "<unk>"), "unigram": unigram}
    files = {
        "words": "\n".join(vocab).encode(),
        "gpt2": merges_of(gpt2()),
        "o200k": merges_of(o200k()),
        "bert": "\n".join(bert_uncased().vocab).encode(),
        "unigram": json.dumps(unigram.pieces, ensure_ascii=False).encode(),
        "unicode": classes("L", "N", "bert-dropped", "bert-mark", "bert-punctuation"),
        "neighbours": neighbours(),
        "rows": rows(),
        "cases": classes("Lu", "Ll", "Lt", "Lm", "Lo", "M"),  # for GPT-4o's tokenizer alone
    }
    return files, cuts_of(SENTENCE, tokenizers)


def write_files(files: dict[str, bytes], cuts: dict[str, Any], folder: Path) -> None:
    """Write each file packed, once as it is and once as a script, and a script that lists them."""
    # A page from a server fetches the gzip file; one from a disk may load scripts, but no files.
    folder.mkdir(parents=True, exist_ok=True)
    listed = {}
    for name, content in files.items():
        packed = gzip.compress(content, 9, mtime=0)
        (folder / f"{name}.gz").write_bytes(packed)
        script = f'TextToVectors.receive("{name}", "{base64.b64encode(packed).decode()}");\n'
        (folder / f"{name}.js").write_text(script, encoding="ascii")
        version = hashlib.sha256(content).hexdigest()[:8]  # for caches: it changes with the file
        listed[name] = {"file": f"{name}.gz?v={version}", "size": len(packed)}
    here = 'document.currentScript.src.replace(/[^/]*$/, "")'
    first = json.dumps(cuts, separators=(",", ":"))
    found = f"{{folder: {here}, files: {json.dumps(listed)}, first: {first}}}"
    text = f"Object.assign(globalThis.TextToVectors ??= {{}}, {found});\n"
    (folder / "files.js").write_text(text, encoding="ascii")


def write_opened(source: Path, folder: Path) -> None:
    """Write what the page that opens a tokenizer begins with: GPT-2 and its stages of a text."""
    sys.path.append(str(source / "book" / "assets" / "open"))
    import opener

    text = (source / "book" / "open-tokenizer.md").read_text(encoding="utf-8")
    (text,) = re.findall(r'<textarea id="ttv-open-text"[^>]*>(.*)</textarea>', text)
    with tempfile.TemporaryDirectory() as files, chdir("."):
        opener.write_own("gpt2", files)
        read = json.loads(opener.open_files(0, files, ""))
    state = {"nIds": read["n_ids"], "text": text, "stages": json.loads(opener.encode(0, text))}
    folder.mkdir(parents=True, exist_ok=True)
    script = f"(globalThis.TextToVectors ??= {{}}).opened = {json.dumps(state)};\n"
    (folder / "opened.js").write_text(script, encoding="ascii")


class PageRole(ReferenceRole):
    """A link to the page of the role's name that sets its text and its controls."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a reference to the page, which is internal: notebooks link to it as to any."""
        if not self.has_explicit_title:
            raise ExtensionError(f"{self.rawtext} must read: words of the link <text=...>")
        page = self.env.app.builder.get_relative_uri(self.env.docname, f"book/{self.name}")
        uri = f"{page}#{urlencode(parse_qsl(self.target))}"
        return [nodes.reference(self.rawtext, self.title, refuri=uri, internal=True)], []


def _add_assets(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if pagename == "book/playground":
        # Now, so that Sphinx finds the scripts when it puts a checksum into their addresses.
        write_files(*content(), Path(app.outdir) / "_static" / DATA)
    if pagename == "book/open-tokenizer":
        write_opened(Path(app.srcdir), Path(app.outdir) / "_static" / DATA)
    for name in ASSETS.get(pagename, ()):
        if name.endswith(".css"):
            app.add_css_file(name)
        else:
            app.add_js_file(name, loading_method="defer")


def setup(app: Sphinx) -> None:
    for page in ASSETS:
        app.add_role(posixpath.basename(page), PageRole())
    app.connect("html-page-context", _add_assets)
