r"""Make the stand-ins of the web fonts: the second part of `book/assets/fonts/fonts.css`.

    npm install @fontsource/gelasio@5.3.0 @fontsource/noto-serif@5.3.0 @fontsource/tinos@5.3.0 \
        @fontsource/arimo@5.3.0 @fontsource/roboto@5.3.0 @fontsource/dejavu-mono@5.3.0 \
        @fontsource/cousine@5.3.0
    python tools/once/fallback_fonts.py node_modules

Until a font of ours has arrived, a page is shown in one that the reader has. Were its letters
wider or its lines higher, the text would jump. A stand-in is such a font, scaled until a page of
English has the length that it has in ours, with the ascent and the descent of ours. It stands for
the characters that ours has, and no others: those come from where they came from before.

Georgia, Times New Roman, Arial and Courier New have free twins of the same widths; those are read.
Needs `fonttools`, `brotli` and `uharfbuzz`.
"""

import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import uharfbuzz
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[2]
FONTS = ROOT / "book" / "assets" / "fonts"
STORY = ROOT / "companion" / "data" / "story.txt"
START = "/* The stand-ins, by tools/once/fallback_fonts.py"
CHARACTERS = "U+0020-007E, U+00A0-00FF, U+2013-2014, U+2018-2019, U+201C-201D, U+2026"


@dataclass(frozen=True)
class Local:
    """A font that readers may have.

    Attributes
    ----------
    names : tuple of str
        Its own name and those of its twins, which have the same widths.
    package : str
        The package of Fontsource that holds it or a twin.
    width : float
        Of each letter in ems, where all have the same and no package holds the font.
    """

    names: tuple[str, ...]
    package: str = ""
    width: float = 0


@dataclass(frozen=True)
class Face:
    """A face of ours, as the pages use it.

    Attributes
    ----------
    file : str
        Our font, variable in weight.
    weights : str
        Those that the stand-in stands for.
    weight : int
        The one that it is measured at: of text, or of titles and most that is bold.
    part : str
        What stands for such a face in the names of Fontsource's files.
    kind : str
        What follows the name of a family in the name of such a face.
    """

    file: str
    weights: str
    weight: int
    part: str = "400-normal"
    kind: str = ""


SERIF, ITALIC = "source-serif-4-latin-wght-normal", "source-serif-4-latin-400-italic"
SANS, MONO = "source-sans-3-latin-wght-normal", "source-code-pro-latin-wght-normal"
STAND_INS = {
    "Serif": (
        [
            Face(SERIF, "200 549", 400),
            Face(SERIF, "550 900", 650, "700-normal", "Bold"),
            Face(ITALIC, "200 900", 400, "400-italic", "Italic"),
        ],
        [
            Local(("Georgia", "Gelasio"), "gelasio"),
            Local(("Noto Serif",), "noto-serif"),
            Local(("Times New Roman", "Liberation Serif", "Tinos"), "tinos"),
        ],
    ),
    "Sans": (
        [Face(SANS, "200 549", 400), Face(SANS, "550 900", 650, "700-normal", "Bold")],
        [Local(("Arial", "Liberation Sans", "Arimo"), "arimo"), Local(("Roboto",), "roboto")],
    ),
    "Mono": (
        [Face(MONO, "200 549", 400), Face(MONO, "550 900", 650, "700-normal", "Bold")],
        [
            Local(("Menlo", "DejaVu Sans Mono"), "dejavu-mono"),
            Local(("Consolas",), width=1126 / 2048),
            Local(("Courier New", "Liberation Mono", "Cousine"), "cousine"),
        ],
    ),
}
"""Faces of ours, and what may stand in for them, by what the names of the stand-ins begin with."""


def length(font: TTFont, text: str, weight: int) -> float:
    """Length of a text in ems, set on one line as a browser sets it: in a weight, with kerning."""
    data = BytesIO()
    font.flavor = None  # HarfBuzz reads no compressed font
    font.save(data)
    shaped = uharfbuzz.Font(uharfbuzz.Face(data.getvalue()))
    shaped.set_variations({"wght": weight})
    line = uharfbuzz.Buffer()
    line.add_str(text)
    line.guess_segment_properties()
    uharfbuzz.shape(shaped, line)
    return float(sum(place.x_advance for place in line.glyph_positions) / font["head"].unitsPerEm)


def check_characters(font: TTFont) -> None:
    """Make sure that a font of ours has all that its stand-ins stand for."""
    glyphs = font.getBestCmap()
    for part in CHARACTERS.split(", "):
        first, _, last = part.removeprefix("U+").partition("-")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            if code not in glyphs:
                raise SystemExit(f"a font of ours has no U+{code:04X}")


def stand_in(family: str, face: Face, local: Local, packages: Path, text: str) -> str:
    """Write one stand-in in CSS."""
    ours = TTFont(FONTS / f"{face.file}.woff2")
    check_characters(ours)
    if local.package:
        file = packages / local.package / "files" / f"{local.package}-latin-{face.part}.woff2"
        theirs = length(TTFont(file), text, face.weight)
    else:
        theirs = local.width * len(text)
    scale = length(ours, text, face.weight) / theirs
    line, em = ours["hhea"], ours["head"].unitsPerEm * scale
    names = [f"{name} {face.kind}".rstrip() for name in local.names]
    names += [f"{name} Regular" for name in local.names if not face.kind]
    lines = [
        f'font-family: "{family} like {local.names[0]}";',
        *(["font-style: italic;"] if face.kind == "Italic" else []),
        f"font-weight: {face.weights};",
        "src: " + ", ".join(f'local("{name}")' for name in names) + ";",
        f"unicode-range: {CHARACTERS};",
        f"size-adjust: {scale:.2%};",
        f"ascent-override: {line.ascent / em:.2%};",
        f"descent-override: {-line.descent / em:.2%};",
        f"line-gap-override: {line.lineGap / em:.0%};",
    ]
    return "@font-face {\n" + "".join(f"  {text}\n" for text in lines) + "}\n"


def stand_ins(packages: Path, text: str) -> str:
    """Write all stand-ins in CSS, measured with a text."""
    return "".join(
        stand_in(family, face, local, packages, text)
        for family, (faces, candidates) in STAND_INS.items()
        for local in candidates
        for face in faces
    )


if __name__ == "__main__":
    text = " ".join(STORY.read_text(encoding="utf-8").split())
    sheet = FONTS / "fonts.css"
    ours, _, _ = sheet.read_text(encoding="utf-8").partition(START)
    note = f"{START}: fonts of the reader's, in the measures of those above. */\n"
    new = ours + note + stand_ins(Path(sys.argv[1]) / "@fontsource", text)
    sheet.write_text(new, encoding="utf-8", newline="\n")
    print(f"{sheet.name}: {new.count('local(')} names of fonts, {len(new):,} bytes")
