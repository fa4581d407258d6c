"""What the source of a chat template says; it is never run."""

import re
from collections.abc import Iterable, Iterator, Mapping

_START = 100_000  # characters that are read
# An expression, a statement, a comment, or the text between; and what an expression begins with.
_PARTS = re.compile(
    r"\{\{(.*?)(?:\}\}|\Z)|\{%(.*?)(?:%\}|\Z)|\{#.*?(?:#\}|\Z)|((?:(?!\{[{%#]).)+)", re.DOTALL
)
_MARKER = re.compile(r"""<\|[^|>\s'"]+\|>|<｜[^｜>\s'"]+｜>|<(?:start|end)_of_\w+>""")
_OPERAND = re.compile(r"""[-+]?[\s(]*+(?:'([^']*)'|"([^"]*)"|([\w.]+))""")


def first_written(template: str) -> str:
    """Return what a template writes first: a text, or the name of a variable."""
    values: dict[str, str] = {}
    in_macro = False
    for expression, statement, text in _PARTS.findall(template[:_START]):
        statement = statement.strip("-+ \t\r\n")
        in_macro = statement.startswith("macro") or (in_macro and statement != "endmacro")
        if value := re.match(r"set\s+([\w.]+)\s*=(.*)", statement, re.DOTALL):
            values[value[1]] = value[2]
        first = _OPERAND.match(expression)
        for _ in range(9):  # a name may stand for another
            if first and first[3] in values:
                first = _OPERAND.match(values[first[3]])
        named = "".join(filter(None, first.groups())) if first else ""
        written = text.strip() or (named if named != "raise_exception" else "")
        if written and not in_macro:
            return str(written)
    return ""


def turn_end(
    template: str, tokens: Iterable[str], named: Mapping[str, str]
) -> tuple[str, set[str]]:
    """Return the last token that a template writes in a turn, and all of them that it writes.

    It may write a token by its name, such as `eos_token`.
    """
    _, _, turns = template[:_START].partition(" for ")
    written = " ".join(_written("{% " + turns.partition("add_generation_prompt")[0]))
    places = {token: written.rfind(token) for token in tokens if token in written}
    for name, token in named.items():
        if name in written:
            places[token] = max(places.get(token, -1), written.rfind(name))
    return max(places, key=lambda token: (places[token], len(token)), default=""), {*places}


def written_markers(template: str) -> set[str]:
    """Return the markers, such as <|im_start|>, in the texts that a template writes."""
    return {m for part in _written(template[:_START]) for m in _MARKER.findall(part)}


def _written(template: str) -> Iterator[str]:
    """Yield the texts of a template, its expressions, and what its statements set."""
    for expression, statement, text in _PARTS.findall(template):
        yield expression + text + (statement if re.match(r"\W*set\b", statement) else "")
