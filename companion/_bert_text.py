"""How BERT cleans a text and cuts it into words, by the rules of `tokenizers`."""

import re
import unicodedata

from companion._unicode import category

# White space to BERT. Other controls that `str.split` would cut at, such as U+000B, are dropped
# when a text is cleaned, and what is on both sides of them is joined.
WHITE_SPACE = r"\t\n\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACE = re.compile(f"[{WHITE_SPACE}]")
_DROPPED = re.compile(f"[{category('bert-dropped')}]")
_MARK = re.compile(f"[{category('bert-mark')}]")
_CJK = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    r"\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_P = category("bert-punctuation")
_S = rf"{WHITE_SPACE}\x0b\x0c\x85"
_WORD = re.compile(rf"[{_P}]|[^{_P}{_S}]+")


def normalized(
    text: str,
    *,
    clean_text: bool = True,
    split_chinese: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> str:
    r"""Return a text as BERT reads it; without `strip_accents`, `lowercase` decides that too.

    `clean_text` drops controls and writes each white space as a space, `split_chinese` puts a
    space on both sides of each Chinese character, `strip_accents` decomposes (NFD) and drops marks.

    >>> normalized("Café\n请")
    'cafe  请 '
    """
    if clean_text:
        text = _SPACE.sub(" ", _DROPPED.sub("", text))
    if split_chinese:
        text = _CJK.sub(r" \g<0> ", text)
    if lowercase if strip_accents is None else strip_accents:
        text = _MARK.sub("", unicodedata.normalize("NFD", text))
    if lowercase:
        # Letter by letter: str.lower of the whole would turn the last sigma of a word into ς.
        text = "".join(map(str.lower, text))
    return text


def words_of(text: str) -> list[str]:
    """Cut a text at white space; each punctuation mark and ASCII sign is a word by itself.

    >>> words_of("cafe-bar $5")
    ['cafe', '-', 'bar', '$', '5']
    """
    return _WORD.findall(text)
