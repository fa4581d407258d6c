"""The figures of the book, one function a figure.

Each function takes the objects that a chapter has built, draws them, and returns the `Axes`. The
figures serve the book: they draw what its chapters pass, and check none of it.

One colour has one meaning throughout the book: blue for tokens and their vectors, orange for
segments, green for positions, violet for their sum, grey for text and bytes. The four are about
equally dark, so a label or a place in the figure says the same as each colour.

The figures of a chapter are the public functions in the module of its name. They are found: a new
module or function needs no line here.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from workbook.plots._drawing import BYTE, INK, INPUT, MUTED, POSITION, SEGMENT, TOKEN, WIDTH

__all__ = ["BYTE", "INK", "INPUT", "MUTED", "POSITION", "SEGMENT", "TOKEN", "WIDTH"]

for _module in iter_modules(__path__):
    if _module.name[0] != "_":
        _chapter = import_module(f"{__name__}.{_module.name}")
        for _name, _figure in vars(_chapter).items():
            if _name[0] != "_" and getattr(_figure, "__module__", "") == _chapter.__name__:
                globals()[_name] = _figure
                __all__ += [_name]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
