r"""Make the fonts of the figures, `workbook/plots/fonts`, from the npm packages that hold them.

    npm install @fontsource/source-sans-3@5.3.0 @fontsource/source-code-pro@5.3.0 \
        @fontsource/noto-sans-sc@5.3.0 @fontsource/noto-emoji@5.3.0
    python tools/once/figure_fonts.py node_modules

A figure that needs another character of Chinese or another emoji: add it to `GLYPHS` and run this
again. The files are renamed, because the licence of Source reserves that name for the original.
Needs `fonttools` and `brotli`.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[2] / "workbook" / "plots" / "fonts"
# File to write, its family name, the package and file it comes from, the characters to keep.
GLYPHS = [
    ("sans-400.ttf", "Sans", "source-sans-3", "latin-400-normal", None),
    ("sans-600.ttf", "Semibold", "source-sans-3", "latin-600-normal", None),
    ("mono-400.ttf", "Mono", "source-code-pro", "latin-400-normal", None),
    ("han.ttf", "Han", "noto-sans-sc", "118-400-normal", "请"),
    ("emoji.ttf", "Emoji", "noto-emoji", "9-400-normal", "👍🙂"),
]


def make(source: Path, target: Path, family: str, characters: str | None) -> None:
    """Write one font: keep `characters`, drop hints and layout tables, set the family name."""
    options = subset.Options(
        flavor=None, hinting=False, layout_features=["kern"], name_IDs=[0, 1, 2, 4, 6, 13, 14]
    )
    font = subset.load_font(str(source), options)
    assert isinstance(font, TTFont)
    keep = font.getBestCmap() if characters is None else [ord(c) for c in characters]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=keep)
    subsetter.subset(font)
    names = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.string)
    font["OS/2"].usWeightClass = 400  # matplotlib picks by family alone
    font.recalcTimestamp = False
    subset.save_font(font, str(target), options)


if __name__ == "__main__":
    packages = Path(sys.argv[1]) / "@fontsource"
    for filename, family, package, part, characters in GLYPHS:
        source = packages / package / "files" / f"{package}-{part}.woff2"
        make(source, FONTS / filename, f"Text to Vectors {family}", characters)
        print(f"{filename}: {(FONTS / filename).stat().st_size:,} bytes")
