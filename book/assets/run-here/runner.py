"""Run a cell as a notebook does; worker.js loads this into Python in the page.

Before each run the worker puts back the memory that Python had after the cells before it. So
nothing that a cell changes here outlives its run.
"""

import ast
import builtins
import contextlib
import io
import linecache
import pprint
import random
import sys
import traceback
import types

from companion.story import SENTENCE, load_story
from workbook.exercises import _registry, check

OUTSIDE = ("js", "pyodide", "pyodide.code", "pyodide.http", "pyodide_js", "_pyodide_core")
"""Modules that lead from Python to the browser."""

# A cell may replace these names; what they mean here is settled before.
_out, _error, _print, _repr = sys.stdout, sys.stderr, builtins.print, repr
_eval, _exec = builtins.eval, builtins.exec
for _stream in (_out, _error):  # a lone surrogate too is shown
    _stream.reconfigure(line_buffering=True, errors="backslashreplace")
_summary, _pretty = traceback.TracebackException, pprint.pformat
_seeded = random.getstate()

_main = types.ModuleType("__main__")
_main.__dict__.update(check=check, load_story=load_story, SENTENCE=SENTENCE)
sys.modules["__main__"] = _main
for _name in OUTSIDE:
    sys.modules[_name] = None  # type: ignore[assignment]


def prepare(code: str) -> None:
    """Run a cell before the reader's, and show nothing of it; some are meant to fail."""
    sys.stdout = sys.stderr = io.StringIO()
    with contextlib.suppress(BaseException):
        _execute(code)


def run(code: str, passed: str) -> bool:
    """Run the reader's cell, and print what it prints, its value or its error.

    ``passed`` names the exercises that were passed in this browser, with spaces between them.
    Return whether there was no error.
    """
    sys.stdout = sys.stderr = _out
    _registry.passed.update(passed.split())
    if random.getstate() == _seeded:  # no cell before has set a seed
        random.seed()
    ok = True
    try:
        value = _execute(code)
        if value is not None:
            wide = isinstance(value, dict | list | set | tuple)
            _print(_pretty(value, sort_dicts=False) if wide else _repr(value), file=_out)
    except SystemExit:
        pass
    except BaseException as error:
        ok = False
        _out.flush()
        _error.write(_described(error))
    _out.flush()
    _error.flush()
    return ok


def _execute(code: str) -> object:
    """Run all statements; return the value of the last if it is an expression."""
    linecache.cache["<cell>"] = (len(code), None, code.splitlines(keepends=True), "<cell>")
    tree = ast.parse(code, "<cell>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    _exec(compile(tree, "<cell>", "exec"), _main.__dict__)
    if last is None:
        return None
    return _eval(compile(ast.Expression(last.value), "<cell>", "eval"), _main.__dict__)


def _described(error: BaseException) -> str:
    """Return the traceback of an error, of the cell's lines alone; its class without the module."""
    # Of a million calls the last are enough; to look up the lines of all would take minutes.
    summary = _summary(type(error), error, error.__traceback__, limit=-1000)
    summary.stack[:] = [frame for frame in summary.stack if frame.filename == "<cell>"]
    parts = summary.format()
    return "".join(part.removeprefix(f"{type(error).__module__}.") for part in parts)
