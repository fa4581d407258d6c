r"""The regular expressions of tokenizers, read by Python's own `re`.

They are written for other engines, Oniguruma in the library `tokenizers`, `fancy-regex` in
`tiktoken`, which know classes such as ``\p{L}`` and read some signs in another way. `read_pattern`
writes a pattern anew for `re`, each class as its ranges in Unicode 16.0: so the words do not change
with the version of Python.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NoReturn, TypeAlias

from companion.checks import require_text
from companion.unicode import Ranges, category, complement, intersection, ranges_of, union, written

__all__ = ["Pattern", "read_pattern"]

Reading: TypeAlias = Literal["tokenizers", "tiktoken"]

_CIRCLED = (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)
_WORD = union(*map(ranges_of, ("L", "M", "Nd", "Nl", "Pc")), _CIRCLED)
_RUST_WORD = union(_WORD, [(0x200C, 0x200D)])
_ONIGURUMA_WORD = union(_WORD, [(0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE)])  # with ² ³ ¹ ¼ ½ ¾

# The 25 characters of Unicode's White_Space; the \s of `re` adds U+001C to U+001F. And the \w of
# programs in Rust: letters, marks, digits, connectors and two joiners.
WHITE_SPACE, RUST_WORD = category("White_Space"), written(_RUST_WORD)

_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "a": 7, "e": 27}
_ASSERTION = re.compile(r"[\^$]|\\[AzbB]")
_GROUP = re.compile(r"\((?:(?!\?)|\?(?P<kind>i?:|>|<?[=!])|\?P?<[A-Za-z_]\w*>)")
_PROPERTY = re.compile(r"([pP])\{([^{}]*)\}")
_CODE = re.compile(r"x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})")
_REPEAT = re.compile(r"(?P<count>[?*+]|\{(?=,?\d)\d*(?P<to>,\d*)?\})(?P<kind>[?+]?)")

# With (?i), Oniguruma also finds one character for two: ß for ss, and a ligature for the others.
_ONE_FOR_TWO = {"ss", "ff", "fi", "fl", "st"}
_OTHER_CASES = {"s": "\u017f", "k": "\u212a"}  # ſ and the sign of Kelvin


class Pattern:
    r"""A tokenizer's regular expression; `read_pattern` makes it of `pattern` and `reading`.

    >>> pattern = read_pattern(r"\w+")
    >>> [match.span() for match in pattern.finditer("ab, c")], pattern.findall("ab, c")
    ([(0, 2), (4, 5)], ['ab', 'c'])
    """

    # It takes time to compile hundreds of ranges and to look for a character in them. Most texts
    # need only the ASCII part of each class, nearly all the others that up to U+FFFF, and emoji.
    _REACHES = ((0, 0x7F),), ((0, 0xFFFF), (0x1F000, 0x1FAFF)), ((0, 0x10FFFF),)
    _RARE = re.compile("[\U00010000-\U0001efff\U0001fb00-\U0010ffff]")
    _BORDER = re.compile(rf"[^{WHITE_SPACE}](?= )")

    def __init__(self, pattern: str, reading: Reading) -> None:
        self.pattern, self.reading = pattern, reading
        self._compiled: dict[int, re.Pattern[str]] = {}
        try:
            self._parts = _Reader(pattern, reading).parts
            self._compiled_for("")
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"pattern {pattern!r} cannot be read: {error}") from error

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.pattern!r}, reading={self.reading!r})"

    def _compiled_for(self, text: str) -> re.Pattern[str]:
        """Return the expression whose classes reach as far in Unicode as a text does."""
        reach = 0 if text.isascii() else 2 if self._RARE.search(text) else 1
        if reach not in self._compiled:
            all_ = self._REACHES[reach]
            written_out = (p if isinstance(p, str) else _one_of(p, all_) for p in self._parts)
            self._compiled[reach] = re.compile("".join(written_out))
        return self._compiled[reach]

    def findall(self, text: str) -> list[str]:
        """Return the matches in a text."""
        return [match.group() for match in self.finditer(text)]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find the matches in a text, in order; none is empty where the one before it ends."""
        compiled = self._compiled_for(text)
        # After an empty match `re` would look at the same place again; the others go one further.
        start, end = 0, -1
        while start <= len(text) and (found := compiled.search(text, start)):
            if found.start() == found.end() == end:
                start += 1
            else:
                yield found
                start = end = found.end()

    def words(self, text: str, *, in_blocks: bool = False) -> Iterator[str]:
        """Cut a text into its matches, none of them empty, and what is between two of them.

        `in_blocks` cuts a long text first, before spaces that follow another character: a rare
        character makes one block slow, not all.
        """
        for block in blocks(text, self._BORDER) if in_blocks else [text]:
            words = self._compiled_for(block).findall(block)
            # What is between two matches is a word too.
            if sum(map(len, words)) < len(block):
                words = [piece for piece, _ in pieces(self.finditer, block)]
            yield from words


def blocks(text: str, border: re.Pattern[str]) -> Iterator[str]:
    """Cut a text where `border` ends, so that its words are never all in memory at once."""
    start = 0
    while start < len(text):
        found = border.search(text, start + 4096)
        end = found.end() if found else len(text)
        yield text[start:end]
        start = end


def pieces(
    finditer: Callable[[str], Iterable[re.Match[str]]], text: str
) -> Iterator[tuple[str, bool]]:
    """Cut a text into what an expression finds, with True, and what is between, with False."""
    end = 0
    for match in finditer(text) if text else ():
        if match.start() > end:
            yield text[end : match.start()], False
        yield match[0], True
        end = match.end()
    if end < len(text):
        yield text[end:], False


@functools.cache
def read_pattern(pattern: str, *, reading: Reading = "tiktoken") -> Pattern:
    r"""Read a tokenizer's regular expression.

    A `ValueError` names what cannot be read: references to groups, conditions, ``\K``, ``\X``,
    ``[:alpha:]``, properties that are not in ``data/unicode-classes.txt``, look-behind of several
    widths, flags but ``(?i:...)`` around ASCII letters, or ``(?i)`` at the beginning.

    Parameters
    ----------
    pattern : str
        The expression as it stands in a ``tokenizer.json`` or a program.
    reading : "tokenizers" or "tiktoken", optional
        Whose expression it is. To `tokenizers`, ``^`` and ``$`` are the ends of a line, and
        ``x{1,3}+`` is a run of any length; to `tiktoken` they are the ends of the text, and
        ``x{1,3}+`` takes up to three and gives none of them back.

    Examples
    --------
    >>> read_pattern(r"\p{N}{1,3}+| ?\p{L}+").findall("1234567 días")
    ['123', '456', '7', ' días']
    """
    require_text(pattern, "pattern")
    if reading not in ("tokenizers", "tiktoken"):
        raise ValueError(f"reading must be 'tokenizers' or 'tiktoken', not {reading!r}")
    return Pattern(pattern, reading)


def is_read_alike(pattern: str) -> bool:
    """Tell whether a pattern means the same to `tokenizers` and to `tiktoken`."""
    return _Reader(pattern, "tokenizers").parts == _Reader(pattern, "tiktoken").parts


def _one_of(ranges: Ranges, all_: Ranges) -> str:
    """Write what matches one character of a class, in texts that have no others than `all_`."""
    within, others = intersection(ranges, all_), intersection(complement(ranges), all_)
    if not within:
        return r"[^\0-\U0010ffff]"  # none; but it has a width, which a look-behind must have
    if within[0][0] == within[-1][1]:
        return re.escape(chr(within[0][0]))
    return f"[^{written(others)}]" if 0 < len(others) < len(within) else f"[{written(within)}]"


class _Reader:
    """Read a pattern into `parts`: classes of characters, and what `re` needs between them."""

    def __init__(self, pattern: str, reading: Reading) -> None:
        self.pattern, self.oniguruma = pattern, reading == "tokenizers"
        self.parts: list[str | Ranges] = []
        self.at = 0  # the place in the pattern
        self.folds = self.takes("(?i)")  # whether case is ignored there
        word = _ONIGURUMA_WORD if self.oniguruma else _RUST_WORD
        self.classes = {"s": ranges_of("White_Space"), "d": ranges_of("Nd"), "w": word}
        assertions: dict[str, list[str | Ranges]] = {
            "^": [r"(?:\A|(?<=\n)(?!\Z))" if self.oniguruma else r"\A"],
            "$": [r"(?=\n|\Z)" if self.oniguruma else r"\Z"],
            r"\A": [r"\A"],
            r"\z": [r"\Z"],
            r"\b": ["(?:(?<=", word, ")(?!", word, ")|(?<!", word, ")(?=", word, "))"],
            r"\B": ["(?:(?<=", word, ")(?=", word, ")|(?<!", word, ")(?!", word, "))"],
        }
        # Of each open group: where its parts start, whether it has a width, whether case counts not
        # outside.
        groups: list[tuple[int, bool, bool]] = []
        while self.at < len(pattern):
            start, has_width = len(self.parts), True
            if match := self.matches(_GROUP):
                kind = match["kind"] or ":"
                groups.append((start, kind in ("i:", ":", ">"), self.folds))
                self.folds = self.folds or kind == "i:"
                self.parts.append("(?" + kind.removeprefix("i"))
                continue
            if self.takes("|"):
                self.parts.append("|")
                continue
            if self.takes(")"):
                if not groups:
                    self.refuse("a ) without its (", r"write \)")
                start, has_width, self.folds = groups.pop()
                self.parts.append(")")
            elif match := self.matches(_ASSERTION):
                has_width = False
                self.parts += assertions[match[0]]
            else:
                self.parts.append(self.character())
            self.repeat(start, has_width)
        if groups:
            self.refuse("a ( without its )", r"add the ), or write \(")

    def refuse(self, what: str, fix: str) -> NoReturn:
        raise ValueError(f"pattern {self.pattern!r} has {what}, which cannot be read; {fix}")

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

    def repeat(self, start: int, has_width: bool) -> None:
        """Read what repeats the parts from `start` on, if it is next."""
        match = self.matches(_REPEAT)
        if match is None:
            return
        if not has_width:
            self.refuse(f"{match[0]} after what has no width", f"leave {match[0]} out")
        count, kind = match["count"], match["kind"]
        if count[0] == "{" and (kind == "+" or (self.oniguruma and kind and not match["to"])):
            # To Oniguruma + after {n,m} is not possessive, nor ? after {n} lazy. To fancy-regex the
            # whole run is possessive; in Python's own {n,m}+ each round of it is.
            self.parts.insert(start, "(?:" if self.oniguruma else "(?>")
            count, kind = count + ")", kind if self.oniguruma else ""
        self.parts.append(count + kind)
        if again := _REPEAT.match(self.pattern, self.at):
            self.refuse(f"{again[0]} after {match[0]}", "put what comes before into (?:...)")

    def character(self) -> Ranges:
        """Read what matches one character."""
        if self.takes("."):
            return complement(((10, 10),))
        if self.takes("["):
            return self.brackets()
        if match := _REPEAT.match(self.pattern, self.at):
            self.refuse(f"{match[0]} after nothing", f"write \\{match[0]} for the sign itself")
        if self.sees("("):
            group = self.pattern[self.at : self.at + 4]
            self.refuse(f"the group {group}", "write it without, or (?i:...) around letters")
        found = self.member(in_brackets=False)
        if not isinstance(found, int):
            return found
        pair = self.pattern[self.at - 1 : self.at + 1].lower()
        if self.oniguruma and self.folds and pair in _ONE_FOR_TWO:
            self.refuse(f"(?i) over {pair}", f"write [{pair[0]}] for the first letter")
        return self.with_cases(((found, found),))

    def with_cases(self, ranges: Ranges) -> Ranges:
        """Add the other cases of letters, if case is ignored."""
        if not self.folds:
            return ranges
        if intersection(ranges, complement(((0, 0x7F),)), _WORD):
            self.refuse("(?i) over letters or marks beyond ASCII", "write each case out")
        ascii_ = [chr(c) for first, last in ranges for c in range(first, min(last, 0x7F) + 1)]
        others = {c.swapcase() for c in ascii_} | {_OTHER_CASES.get(c.lower(), c) for c in ascii_}
        return union(ranges, [(ord(c), ord(c)) for c in others])

    def brackets(self) -> Ranges:
        """Read the rest of a ``[...]``, which may hold others and intersections, ``&&``."""
        negated = self.takes("^")
        sets: list[Ranges] = []
        members = [self.span()] if self.sees("]") else []
        while not self.takes("]"):
            if self.takes("&&"):
                sets.append(union(*members))
                members = []
            elif self.sees("[:"):
                self.refuse("the class [:", r"write \p{...}")
            elif self.takes("["):
                members.append(self.brackets())
            else:
                members.append(self.span())
        sets.append(union(*members))
        if () in sets:
            self.refuse("an empty side of &&", "leave && out, or write \\&")
        found = intersection(*sets) if sets[1:] else sets[0]
        return complement(found) if negated else found

    def span(self) -> Ranges:
        """Read a character, a class or a range in brackets."""
        first = last = self.member(in_brackets=True)
        if self.sees("--") or self.sees("~~") or self.sees("-["):
            self.refuse(f"{self.pattern[self.at : self.at + 2]} in brackets", r"write \- or \~")
        if not self.sees("-]") and self.takes("-"):
            last = self.member(in_brackets=True)
        if isinstance(first, int) and isinstance(last, int) and first <= last:
            return self.with_cases(((first, last),))
        if first is last and not isinstance(first, int):
            return first
        self.refuse("a range that does not run up from character to character", r"write \-")

    def member(self, *, in_brackets: bool) -> int | Ranges:
        """Read a character, as its code point, or a class that is written with a backslash."""
        if self.at == len(self.pattern):
            self.refuse("a [ without its ]", r"add the ], or write \[")
        if not self.takes("\\"):
            self.at += 1
            return ord(self.pattern[self.at - 1])
        if match := self.matches(_PROPERTY):
            return self.property(match)
        if match := self.matches(_CODE):
            code = int(match[1] or match[2] or match[3], 16)
            if code > 0x10FFFF or (self.oniguruma and match[1] and code > 0x7F):
                self.refuse(f"\\{match[0]}", "write the character itself")
            return code
        sign = self.pattern[self.at : self.at + 1]
        self.at += 1
        if found := self.classes.get(sign.lower()):
            if found is _ONIGURUMA_WORD and in_brackets:
                found = _WORD
            return found if sign.islower() else complement(found)
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if not sign or sign.isalnum() or (sign in "<>" and not self.oniguruma):
            self.refuse(f"\\{sign}{' in brackets' * in_brackets}", "write it in another way")
        return ord(sign)

    def property(self, match: re.Match[str]) -> Ranges:
        if self.folds:  # the engines add other cases to some of them
            self.refuse(f"(?i) over \\{match[0]}", "write (?i:...) around letters only")
        try:
            found = ranges_of(match[2].capitalize())
        except KeyError:
            self.refuse(f"\\{match[0]}", "write a general category, such as L, or a script")
        return complement(found) if match[1] == "P" else found
