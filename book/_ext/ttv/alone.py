"""Run the cells of a page where only the standard library and our packages can be imported."""

# A program of its own, which `run_here` starts: what has been imported before would count as there.
# It reads cells and their scopes, and writes for each what runs of it, and what the rest lacks.

import ast
import contextlib
import dis
import io
import json
import sys
from typing import Any

# What can be imported in the browser.
HERE = {"companion", "inspector", "workbook", *sys.stdlib_module_names}
HERE -= {"curses", "multiprocessing", "socket", "sqlite3", "ssl", "subprocess", "tkinter"}
HERE -= {"sysconfig"}  # it finds the source files of Python, which the browser has not


class Elsewhere:
    """Refuses to import what is not there, and leaves the rest to those who find it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.partition(".")[0] not in HERE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run(
    code: str, names: dict[str, Any], lacks: dict[str, set[str]], may_fail: bool
) -> tuple[str, set[str]]:
    """Run a cell; return the code of the statements that can run, and what the others lack."""
    free, missing = [], set[str]()
    for statement in ast.parse(code).body:
        compiled = compile(ast.Module([statement], []), "<cell>", "exec")
        try:
            exec(compiled, names)  # the book's own code
            free.append(ast.unparse(statement))
        except Exception as error:
            match error:
                case ImportError(name=str(name)):
                    found = {name.partition(".")[0]}
                case NameError(name=name) if name in lacks:
                    found = lacks[name]
                case _ if may_fail:
                    break  # what follows it does not run
                case _ if lacks:  # it misses what another statement makes
                    found = set().union(*lacks.values())
                case _:
                    error.add_note(f"in the page, where this cell runs:\n{code}")
                    raise
            missing |= found
            steps = dis.get_instructions(compiled)
            for name in [step.argval for step in steps if step.opname == "STORE_NAME"]:
                names.pop(name, None)
                lacks[name] = found
    return ("\n".join(free), missing) if missing else (code, missing)


if __name__ == "__main__":
    from companion.story import SENTENCE, load_story
    from workbook import check

    sys.meta_path.insert(0, Elsewhere())
    known = {"check": check, "load_story": load_story, "SENTENCE": SENTENCE}, dict[str, set[str]]()
    scopes, found = {"": known}, []
    for code, scope, may_fail in json.load(sys.stdin):
        names, lacks = scopes.setdefault(scope, (known[0].copy(), known[1].copy()))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            free, missing = run(code, names, lacks, may_fail)
        found.append((free, sorted(missing)))
    json.dump(found, sys.stdout)
