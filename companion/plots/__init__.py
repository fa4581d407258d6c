"""The figures of the book, one function a figure.

Each function takes the objects that a chapter has built, draws them, and returns the `Axes`. The
figures serve the book: they draw what its chapters pass, and check none of it.

One colour has one meaning throughout the book: blue for tokens and their vectors, orange for
segments, green for positions, violet for their sum, grey for text and bytes. The four are about
equally dark, so a label or a place in the figure says the same as each colour.

The figures of a chapter are in the module of its name; import them all from here. A module is found
by its file, and loaded when one of its figures is first asked for.
"""

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from companion.plots._drawing import BYTE, INK, INPUT, MUTED, POSITION, SEGMENT, TOKEN, WIDTH

_ALL = re.compile(r"^__all__ = (\[.*?\])", re.DOTALL | re.MULTILINE)


def _find_figures() -> dict[str, str]:
    """Return the module of each figure, as the lists `__all__` of the modules tell."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        listed = _ALL.search(path.read_text(encoding="utf-8"))
        if listed is None:
            raise ImportError(f"{path} has no list __all__; name its figures there")
        for name in ast.literal_eval(listed[1]):
            if name in found:
                raise ImportError(f"{path.stem} and {found[name]} both have a figure {name!r}")
            found[name] = path.stem
    return found


_MODULES = _find_figures()

__all__ = ["BYTE", "INK", "INPUT", "MUTED", "POSITION", "SEGMENT", "TOKEN", "WIDTH"]
__all__ += sorted(_MODULES)


def __getattr__(name: str) -> Any:
    """Load the module of a figure."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """List the figures, loaded or not."""
    return sorted({*globals(), *__all__})
