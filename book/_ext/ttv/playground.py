"""Make what the playground loads, and the links into it.

The vocabularies of the page are those of the package, packed when the book is built, so that none
lies in the repository twice. Each is written in two forms: a gzip file, which a page from a server
fetches, and a script that holds the same bytes, because a page opened from a disk may load scripts
but read no files. The scripts and styles of the playground go to its page alone.

A chapter links to the playground with its own example by the role `playground`:

    {playground}`see how it falls apart <text=unbelievability&tokenizer=bert>`
"""

import base64
import gzip
import hashlib
import json
import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

from docutils import nodes
from sphinx.application import Sphinx

from companion.story import load_story
from companion.unigram import train_unigram
from companion.words import build_vocab
from ttv.reader import CheckedRole

PAGE = "book/playground"
FOLDER = "playground"
DATA = f"{FOLDER}/data"
SCRIPTS = (
    "unicode", "words", "bpe", "wordpiece", "unigram", "windows", "vectors", "link", "vocabularies",
    "dom", "panel-bytes", "panel-tokens", "panel-windows", "panel-vectors", "app",
)  # fmt: skip
"""In the order in which they need each other; after `files.js`."""

_ROLE = re.compile(r"(?P<title>[^<]+?)\s*<(?P<settings>[^<>]+)>", re.DOTALL)


def vocabularies(data: Path) -> dict[str, bytes]:
    """Return what the tokenizers of the playground need, by name, from ``companion/data``.

    The merges of GPT-2 and GPT-4o and BERT's vocabulary as they are; the classes of characters,
    those that only GPT-4o's tokenizer asks for by themselves; the words of the story in the order
    of their ids, one a line; and the pieces that the chapter `unigram` learns from the story, with
    their log probabilities, as JSON.
    """
    classes = (data / "unicode-classes.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    cases = [line for line in classes if line.split(" ")[0] in {"Lu", "Ll", "Lt", "Lm", "Lo", "M"}]
    words = build_vocab(load_story(), ["<unk>"])
    pieces = train_unigram(load_story(), 400).pieces
    return {
        "words": "".join(f"{word}\n" for word in words).encode(),
        "gpt2": (data / "vocab.bpe").read_bytes(),
        "o200k": (data / "o200k.bpe").read_bytes(),
        "bert": (data / "bert-base-uncased-vocab.txt").read_bytes(),
        "unigram": json.dumps(pieces, ensure_ascii=False).encode(),
        "unicode": "".join(line for line in classes if line not in cases).encode(),
        "cases": "".join(cases).encode(),
    }


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Write each file packed, once as it is and once as a script, and a script that lists them.

    The query in an address changes with the content: no browser takes an old file from its cache.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = {}
    for name, content in files.items():
        packed = gzip.compress(content, 9, mtime=0)
        (folder / f"{name}.gz").write_bytes(packed)
        script = f'TextToVectors.receive("{name}", "{base64.b64encode(packed).decode()}");\n'
        (folder / f"{name}.js").write_text(script, encoding="ascii", newline="\n")
        version = hashlib.sha256(content).hexdigest()[:8]
        file = f"{name}.gz?v={version}"
        listed[name] = {"file": file, "script": f"{name}.js", "size": len(packed)}
    lines = [
        "// What the playground loads when it is needed; written by book/_ext/ttv/playground.py.",
        "globalThis.TextToVectors ??= {};",
        f"TextToVectors.files = {json.dumps(listed, indent=2)};",
        "TextToVectors.folder = document.currentScript.src.replace(/[^/]*$/, '');",
    ]
    (folder / "files.js").write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")


def fragment(settings: str) -> str:
    """Turn the settings of a role, as in link.js, into the part of an address after ``#``.

    >>> fragment("text=this %26 that&tokenizer=bert")
    'text=this+%26+that&tokenizer=bert'
    """
    pairs = [part.split("=", 1) for part in settings.split("&")]
    return urlencode([(name, unquote(value)) for name, value in pairs])


class PlaygroundRole(CheckedRole):
    """A link to the playground that sets its text and its controls."""

    def node(self) -> nodes.Node:
        """Make a reference to the page, which is internal: notebooks link to it as to any other."""
        match = _ROLE.fullmatch(self.text)
        if match is None:
            raise ValueError("it must read: words of the link <text=...>")
        page = posixpath.relpath(PAGE, posixpath.dirname(self.env.docname) or ".")
        uri = f"{page}.html#{fragment(match['settings'])}"
        title = re.sub(r"\s+", " ", match["title"])
        return nodes.reference(self.rawtext, title, refuri=uri, internal=True)


def _add_assets(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    # Sphinx takes back what is added while a page is written when that page is done.
    if pagename == PAGE:
        # Now, so that Sphinx finds the scripts when it puts a checksum into their addresses.
        data = Path(app.srcdir) / "companion" / "data"
        write_files(vocabularies(data), Path(app.outdir) / "_static" / DATA)
        app.add_css_file(f"{FOLDER}/playground.css")
        for script in (f"{DATA}/files.js", *(f"{FOLDER}/{name}.js" for name in SCRIPTS)):
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_role("playground", PlaygroundRole())
    app.connect("html-page-context", _add_assets)
