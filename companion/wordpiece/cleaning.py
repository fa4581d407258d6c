"""How `companion.wordpiece` reads a text: it is cleaned, and cut into words."""

import re
import unicodedata

from companion.unicode import category, lowered, ranges_of

# White space to BERT. Other controls that `str.split` would cut at, such as U+000B, are dropped
# when a text is cleaned, and what is on both sides of them is joined.
BERT_SPACE = r"\t\n\r" + category("Z")
_SPACE = re.compile(f"[{BERT_SPACE}]")
_DROPPED = re.compile(f"[{category('bert-dropped')}]")
_CHINESE = re.compile(f"([{category('bert-chinese')}])")
_NO_MARKS = {c: None for first, last in ranges_of("bert-mark") for c in range(first, last + 1)}
_P = category("bert-punctuation")
_WORD = re.compile(rf"[^{_P}{category('White_Space')}]+|[{_P}]")


def normalized(
    text: str,
    *,
    clean_text: bool = True,
    split_chinese: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> str:
    r"""Return a text as BERT reads it; without `strip_accents`, `lowercase` decides that too.

    >>> normalized("Café\n请")
    'cafe  请 '
    """
    # As `clean` in the chapter: drop controls, and write each white space as a space.
    if clean_text:
        text = _SPACE.sub(" ", _DROPPED.sub("", text))
    # As `space_chinese`: a space on both sides of each Chinese character, a word of its own.
    if split_chinese:
        text = " ".join(_CHINESE.split(text))
    # As `fold`: take letters and their accents apart (NFD) and drop the accents; at the end, which
    # makes no difference, lower the case.
    if lowercase if strip_accents is None else strip_accents:
        text = unicodedata.normalize("NFD", text).translate(_NO_MARKS)
    return lowered(text) if lowercase else text


def words_of(text: str) -> list[str]:
    """Cut a text at white space; each punctuation mark and ASCII sign is a word by itself.

    >>> words_of("cafe-bar $5")
    ['cafe', '-', 'bar', '$', '5']
    """
    # As the last step of `words_of` in the chapter.
    return _WORD.findall(text)
