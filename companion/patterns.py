r"""The regular expressions of tokenizers, read by Python's own `re`.

A tokenizer's pattern is written for another engine: Oniguruma in the library `tokenizers`,
`fancy-regex` in `tiktoken`. They know classes that `re` has not, such as ``\p{L}``, and read some
signs differently. `read_pattern` writes a pattern anew for `re`. Each class is written out as
ranges of code points, those of Unicode 16.0, so the words do not change with Python's version.
What is not known is refused by name.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any, Literal, NoReturn, TypeAlias

from companion._checks import require_text
from companion._unicode import (
    Ranges,
    category,
    complement,
    intersection,
    ranges_of,
    union,
    written,
)

__all__ = ["RUST_WORD", "WHITE_SPACE", "WORD", "Pattern", "category", "read_pattern"]

Reading: TypeAlias = Literal["tokenizers", "tiktoken"]

_SPACE: Ranges = ((9, 13), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680),
                  (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F),
                  (0x3000, 0x3000))  # fmt: skip
_CIRCLED = (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)
_JOINERS = ((0x200C, 0x200D),)
_SLIP = (0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE)  # ² ³ ¹ ¼ ½ ¾
_ANY: Ranges = ((0, 0x10FFFF),)
_WORD = union(*map(ranges_of, ("L", "M", "Nd", "Nl", "Pc")), _CIRCLED)

WHITE_SPACE = written(_SPACE)
"""The 25 characters of Unicode's White_Space. The ``\\s`` of `re` adds U+001C to U+001F."""
WORD = written(_WORD)
"""What ``[\\w]`` is to `tokenizers`: letters, marks, decimal digits, connectors."""
RUST_WORD = written(union(_WORD, _JOINERS))
"""What ``\\w`` is to `tiktoken`, and to the programs in Rust: `WORD` and two joiners."""

_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7, "e": 27}
_FLAGS = re.compile(r"\(\?(?P<on>[A-Za-z]*)(?:-(?P<off>[A-Za-z]+))?(?P<end>[:)])")
_GROUP = re.compile(r"\((?:(?!\?)|\?(?P<kind>>|<?[=!])|\?P?<[A-Za-z_]\w*>)")
_PROPERTY = re.compile(r"(?P<sign>[pP])\{(?P<negated>\^?)(?P<name>[^{}]*)\}")
_CODE = re.compile(r"x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})")
_REPEAT = re.compile(r"(?P<count>[?*+]|\{(?=,?\d)\d*(?P<to>,\d*)?\})(?P<kind>[?+]?)")
_DEEPEST = 50  # groups within groups

# With (?i), Oniguruma also finds one character for two: ß for ss, and a ligature for the others.
_ONE_FOR_TWO = {"ss", "ff", "fi", "fl", "st"}
_OTHER_CASES = {"s": 0x17F, "k": 0x212A}  # ſ and the sign of Kelvin
_CASED = {"Lu", "Ll", "Lt", "M", "Mn", "Greek"}  # (?i) adds characters to these classes
_IOTA = ((0x345, 0x345),)  # to L, (?i) adds only this mark, whose capital is a letter


class Pattern:
    r"""A tokenizer's regular expression; `read_pattern` makes it.

    Attributes
    ----------
    pattern, reading
        As they were given to `read_pattern`.

    Examples
    --------
    >>> from companion.patterns import read_pattern
    >>> [match.span() for match in read_pattern(r"\w+").finditer("ab, c")]
    [(0, 2), (4, 5)]
    """

    # It takes time to compile hundreds of ranges and to look for a character in them. Most texts
    # need only the ASCII part of each class, and nearly all the others only that up to U+FFFF.
    _LIMITS = 0x7F, 0xFFFF, 0x10FFFF

    def __init__(self, pattern: str, reading: Reading) -> None:
        self.pattern, self.reading = pattern, reading
        self._parts = _Reader(pattern, reading).parts
        self._compiled: dict[int, re.Pattern[str]] = {}
        try:
            self._up_to(self._LIMITS[0])
        except (re.error, OverflowError) as error:
            raise ValueError(
                f"pattern {pattern!r} cannot be read: {error}; write it another way"
            ) from error

    def __repr__(self) -> str:
        return f"read_pattern({self.pattern!r}, reading={self.reading!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(read_pattern, reading=self.reading), (self.pattern,)

    def _up_to(self, limit: int) -> re.Pattern[str]:
        """Return the expression for texts whose characters go up to a limit."""
        if limit not in self._compiled:
            parts = (
                part if isinstance(part, str) else _one_of(part, limit) for part in self._parts
            )
            self._compiled[limit] = re.compile("".join(parts))
        return self._compiled[limit]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find the matches in a text, in order, as the tokenizer's own engine does.

        A match may be empty, but not where the one before it ends.
        """
        highest = 0x7F if text.isascii() else ord(max(text))
        compiled = self._up_to(next(limit for limit in self._LIMITS if highest <= limit))
        end = -1
        for match in compiled.finditer(text):
            if not match.group():
                break
            yield match
            end = match.end()
        else:
            return
        # After an empty match, `re` looks at the same place again, the other engines one further.
        start = max(end, 0)
        while start <= len(text) and (found := compiled.search(text, start)):
            if found.start() == found.end() == end:
                start += 1
            else:
                yield found
                start = end = found.end()


@functools.cache
def read_pattern(pattern: str, *, reading: Reading = "tiktoken") -> Pattern:
    r"""Read a tokenizer's regular expression.

    Parameters
    ----------
    pattern : str
        The expression as it stands in a ``tokenizer.json`` or a program.
    reading : "tokenizers" or "tiktoken", optional
        Whose expression it is. To `tokenizers`, ``^`` and ``$`` are the ends of a line, and
        ``x{1,3}+`` is a run of any length; to `tiktoken` they are the ends of the text, and
        ``x{1,3}+`` takes up to three and gives none of them back.

    Notes
    -----
    A `ValueError` names what cannot be read: references to groups, conditions, ``\K``, ``\G``,
    ``\X``, classes such as ``[:alpha:]``, properties other than the general categories and the
    scripts in ``data/unicode-classes.txt``, look-behind of several widths, flags other than ``i``
    (and ``s`` in `tiktoken`), and ``(?i)`` over what has other cases than those of ASCII.

    Examples
    --------
    >>> from companion.patterns import read_pattern
    >>> pattern = read_pattern(r"\p{N}{1,3}+| ?\p{L}+")
    >>> [match.group() for match in pattern.finditer("1234567 días")]
    ['123', '456', '7', ' días']
    """
    require_text(pattern, "pattern")
    if reading not in ("tokenizers", "tiktoken"):
        raise ValueError(f"reading must be 'tokenizers' or 'tiktoken', not {reading!r}")
    return Pattern(pattern, reading)


def _one_of(ranges: Ranges, limit: int) -> str:
    """Write what matches one character of a class, in texts with characters up to a limit."""
    within = tuple((first, min(last, limit)) for first, last in ranges if first <= limit)
    if not within:
        return r"[^\0-\U0010ffff]"  # none; but it has a width, which a look-behind must have
    if within[0][0] == within[-1][1]:
        return re.escape(chr(within[0][0]))
    others = complement(within, limit)
    return f"[^{written(others)}]" if 0 < len(others) < len(within) else f"[{written(within)}]"


class _Reader:
    """Read a pattern into `parts`: classes of characters, and what `re` needs between them."""

    def __init__(self, pattern: str, reading: Reading) -> None:
        self.pattern, self.oniguruma = pattern, reading == "tokenizers"
        self.parts: list[str | Ranges] = []
        self.at = self.depth = 0
        self.before = ""  # the letter before this place, if its case is ignored
        self.alternatives(frozenset())
        if self.at < len(pattern):
            self.refuse("a ) without its (", r"write \)")

    def refuse(self, what: str, way_out: str) -> NoReturn:
        raise ValueError(f"pattern {self.pattern!r} has {what}, which cannot be read; {way_out}")

    def sees(self, sign: str) -> bool:
        return self.pattern.startswith(sign, self.at)

    def takes(self, sign: str) -> bool:
        found = self.sees(sign)
        self.at += len(sign) * found
        return found

    def matches(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self.pattern, self.at)
        self.at = match.end() if match else self.at
        return match

    def alternatives(self, flags: frozenset[str]) -> None:
        """Read up to the end of a group, or of the pattern."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.refuse(f"more than {_DEEPEST} groups in one another", "write it with fewer")
        while self.at < len(self.pattern) and not self.sees(")"):
            start = len(self.parts)
            if self.takes("|"):
                self.parts.append("|")
                self.before = ""
            elif match := self.matches(_FLAGS):
                inner = self.flags(match, flags)
                if match["end"] == ":":
                    self.group("(?:", inner)
                    self.repeat(start)
                elif self.oniguruma:  # the rest, other alternatives too, is a group of its own
                    self.parts.append("(?:")
                    self.alternatives(inner)
                    self.parts.append(")")
                else:
                    flags = inner
            elif match := self.matches(_GROUP):
                kind = match["kind"] or ":"
                self.group(f"(?{kind}", flags)
                self.repeat(start, has_width=kind in ":>")
            elif assertion := self.assertion():
                self.parts += assertion
                self.repeat(start, has_width=False)
            else:
                self.parts.append(self.character(flags))
                self.repeat(start)
        self.depth -= 1

    def group(self, opening: str, flags: frozenset[str]) -> None:
        self.parts.append(opening)
        self.alternatives(flags)
        if not self.takes(")"):
            self.refuse("a ( without its )", r"add the ), or write \(")
        self.parts.append(")")

    def flags(self, match: re.Match[str], flags: frozenset[str]) -> frozenset[str]:
        on, off = set(match["on"]), set(match["off"] or "")
        if unknown := (on | off) - set("i" if self.oniguruma else "is"):
            self.refuse(f"the flag {min(unknown)} in {match[0]}", "write it without the flag")
        return (flags | on) - off

    def assertion(self) -> list[str | Ranges]:
        r"""Read ``^``, ``$``, ``\A``, ``\z``, ``\b`` or ``\B``, if one of them is next."""
        if self.takes("^"):
            return [r"(?:\A|(?<=\n)(?!\Z))" if self.oniguruma else r"\A"]
        if self.takes("$"):
            return [r"(?=\n|\Z)" if self.oniguruma else r"\Z"]
        if self.takes(r"\A"):
            return [r"\A"]
        if self.takes(r"\z"):
            return [r"\Z"]
        word = self.word(in_brackets=False)
        if self.takes(r"\b"):
            return ["(?:(?<=", word, ")(?!", word, ")|(?<!", word, ")(?=", word, "))"]
        if self.takes(r"\B"):
            return ["(?:(?<=", word, ")(?=", word, ")|(?<!", word, ")(?!", word, "))"]
        return []

    def repeat(self, start: int, *, has_width: bool = True) -> None:
        """Read what repeats the parts from `start` on, if it is next."""
        match = self.matches(_REPEAT)
        if match is None:
            return
        self.before = ""
        if not has_width:
            self.refuse(f"{match[0]} after what has no width", f"leave {match[0]} out")
        count, kind = match["count"], match["kind"]
        if (
            self.oniguruma
            and count[0] == "{"
            and (kind == "+" or (kind == "?" and not match["to"]))
        ):
            # There + never makes a {n,m} possessive, and ? does not make a {n} lazy.
            self.parts.insert(start, "(?:")
            self.parts += [count, ")"]
            count = ""
        self.parts.append(count + kind)
        if again := _REPEAT.match(self.pattern, self.at):
            self.refuse(f"{again[0]} after {match[0]}", "put what comes before into (?:...)")

    def character(self, flags: frozenset[str]) -> Ranges:
        """Read what matches one character."""
        if self.takes("."):
            return _ANY if "s" in flags else complement(((10, 10),))
        if self.takes("["):
            self.before = ""
            return self.brackets(flags)
        if match := _REPEAT.match(self.pattern, self.at):
            self.refuse(f"{match[0]} after nothing", f"write \\{match[0]} for the sign itself")
        if self.sees("("):
            self.refuse(f"the group {self.pattern[self.at : self.at + 4]}", "write it without")
        found = self.member(flags, in_brackets=False)
        if not isinstance(found, int):
            self.before = ""
            return found
        pair = self.before + chr(found).lower()
        self.before = pair[-1] if "i" in flags else ""
        if self.oniguruma and "i" in flags and pair in _ONE_FOR_TWO:
            self.refuse(f"(?i) over {pair}", f"write [{pair[0]}] for the first letter")
        return self.with_cases(((found, found),), flags)

    def with_cases(self, ranges: Ranges, flags: frozenset[str]) -> Ranges:
        """Add the other cases of letters, if case is ignored."""
        if "i" not in flags:
            return ranges
        if intersection(ranges, complement(((0, 0x7F),)), _WORD):
            self.refuse("(?i) over letters or marks beyond ASCII", "write each case out")
        ascii_ = [chr(c) for first, last in ranges for c in range(first, min(last, 0x7F) + 1)]
        swapped = {ord(c.swapcase()) for c in ascii_}
        swapped |= {_OTHER_CASES[c.lower()] for c in ascii_ if c.lower() in _OTHER_CASES}
        return union(ranges, [(c, c) for c in swapped])

    def brackets(self, flags: frozenset[str]) -> Ranges:
        """Read the rest of a ``[...]``, which may hold others and intersections, ``&&``."""
        negated, first = self.takes("^"), True
        sets: list[Ranges] = []
        members: list[Ranges] = []
        while first or not self.takes("]"):
            if self.at == len(self.pattern):
                self.refuse("a [ without its ]", r"add the ], or write \[")
            if not first and self.takes("&&"):
                sets.append(union(*members))
                members = []
            elif self.sees("[:"):
                self.refuse("the class [:...:]", r"write \p{...}")
            elif self.takes("["):
                members.append(self.brackets(flags))
            else:
                members.append(self.span(flags))
            first = False
        if not members:
            self.refuse("a && with nothing after it", "leave the && out")
        found = intersection(*sets, union(*members))
        return complement(found) if negated else found

    def span(self, flags: frozenset[str]) -> Ranges:
        """Read a character, a class or a range in brackets."""
        first = self.member(flags, in_brackets=True)
        if self.sees("--") or self.sees("~~"):
            self.refuse(f"{self.pattern[self.at : self.at + 2]} in brackets", r"write \- or \~")
        last = first
        if not self.sees("-]") and self.takes("-"):
            last = self.member(flags, in_brackets=True)
        if isinstance(first, int) and isinstance(last, int) and first <= last:
            return self.with_cases(((first, last),), flags)
        if first is last and not isinstance(first, int):
            return first
        self.refuse("a range that does not run from one character up to another", r"write \-")

    def member(self, flags: frozenset[str], *, in_brackets: bool) -> int | Ranges:
        """Read a character, as its code point, or a class that is written with a backslash."""
        if not self.takes("\\"):
            self.at += 1
            return ord(self.pattern[self.at - 1])
        if match := self.matches(_PROPERTY):
            return self.property(match, "i" in flags and (in_brackets or not self.oniguruma))
        if match := self.matches(_CODE):
            code = int(match[1] or match[2] or match[3], 16)
            if code > 0x10FFFF or (self.oniguruma and match[1] and code > 0x7F):
                self.refuse(f"\\{match[0]}", "write the character itself")
            return code
        sign = self.pattern[self.at : self.at + 1]
        self.at += 1
        classes = {"s": _SPACE, "d": ranges_of("Nd"), "w": self.word(in_brackets)}
        if found := classes.get(sign.lower()):
            return found if sign.islower() else complement(found)
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if not sign or sign.isalnum() or (sign in "<>" and not self.oniguruma):
            where = " in brackets" if in_brackets else ""
            self.refuse(f"\\{sign}{where}", "write it in another way")
        return ord(sign)

    def word(self, in_brackets: bool) -> Ranges:
        if not self.oniguruma:
            return union(_WORD, _JOINERS)
        return _WORD if in_brackets else union(_WORD, _SLIP)

    def property(self, match: re.Match[str], folds: bool) -> Ranges:
        name = match["name"].strip().capitalize()
        negated = (match["sign"] == "P") != bool(match["negated"])
        try:
            found = ranges_of(name)
        except KeyError:
            self.refuse(f"\\{match[0]}", "write a general category, such as L, or a script")
        if folds and (name in _CASED or (name == "L" and negated)):
            self.refuse(f"(?i) over \\{match[0]}", "write (?i) only around letters")
        if folds and name == "L":
            found = union(found, _IOTA)
        return complement(found) if negated else found
