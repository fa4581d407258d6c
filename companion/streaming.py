"""Text that is not complete yet: which ids and which characters are certain (chapter `streaming`).

The last word of a text may go on in the next part, and a token may end within a character.
"""

import re
from collections.abc import Iterable

from companion.bpe import BPETokenizer
from companion.bpe.splitting import O200K_PATTERN
from companion.checks import as_id, require_text, valid_text
from companion.patterns import read_pattern
from companion.tokenizer import Tokenizer

__all__ = ["StreamDecoder", "stable_ids"]

# One continuation of each kind that a pattern tells apart: a capital, a small letter, a letter
# without case, digit, space, line break, signs, contractions, the end of one. A mark goes on with a
# word as a letter without case does, or as a sign.
_CONTINUATIONS = [*"Aa字1 \n!/'", "'s", "'ll", *"stmd", "re", "ve", "ll", "e", "l"]

# The alternatives of published patterns (GPT-2, cl100k, Llama 3, Qwen, o200k). They never look
# back, and none takes a space after a character that is no white space.
_ALTERNATIVES = [
    *("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"),
    *("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "'(?i:[sdmt]|ll|ve|re)"),
    *(r" ?\p{L}+", r"[^\r\n\p{L}\p{N}]?\p{L}+", r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+"),
    O200K_PATTERN.partition(r"|\p{N}")[0],  # its two alternatives for words
    *(r" ?\p{N}+", r"\p{N}", r"\p{N}{1,2}", r"\p{N}{1,3}", r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"),
    *(rf" ?[^\s\p{{L}}\p{{N}}]+{end}" for end in ("", r"[\r\n]*", r"[\r\n/]*")),
    *(r"\s*[\r\n]+", r"\s*[\r\n]", r"\s+(?!\S)", r"\s+$", r"\s+", r"\s"),
]
_KNOWN = re.compile(rf"(?:(?:{'|'.join(map(re.escape, _ALTERNATIVES))})\|)*\\s\+?")


def stable_ids(tokenizer: BPETokenizer, text: str) -> list[int]:
    """Encode the beginning of a text, as far as no continuation can change its ids.

    Whatever `more` is, ``tokenizer.encode_ordinary(text + more)`` begins with these ids. Special
    tokens in the text are ordinary text: pass what follows the last one that you allow. A pattern
    with other alternatives than those of GPT-2, cl100k, Llama 3, Qwen and o200k is a `ValueError`,
    because it is not known how far they look.

    >>> from companion.bpe import gpt2
    >>> gpt2().encode("four little Rab"), stable_ids(gpt2(), "four little Rab")
    ([14337, 1310, 28559], [14337, 1310])
    """
    require_text(text, "text")
    # A + after another repetition, which makes it possessive, changes no word of these patterns.
    if not _KNOWN.fullmatch(re.sub(r"(?:(?<=[+?*])|(?<=\d\}))\+", "", tokenizer.pattern)):
        raise ValueError(
            f"the pattern {tokenizer.pattern!r} is not made of the alternatives of GPT-2, cl100k, "
            "Llama 3, Qwen and o200k, so what a continuation can change is not known; encode the "
            "whole text"
        )
    cut = read_pattern(tokenizer.pattern).words
    # The first half of a surrogate pair is no character yet.
    text = valid_text(text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text, "text")
    # 1. A known pattern always cuts before a space that follows no white space. What comes before
    #    the last such space is certain, and only the rest is examined.
    found = re.match(r".*\S(?= )", text, re.DOTALL)
    start = found.end() if found else 0
    # 2. Continue the rest in each way, cut it into words, and keep the words that are always there.
    words = [*cut(text[start:])]
    for more in _CONTINUATIONS:
        others = [*cut(text[start:] + more)]
        while words != others[: len(words)]:
            words.pop()
    # 3. These words are complete, so all merges inside them can be made.
    return [i for part in (text[:start], *words) for i in tokenizer.encode_ordinary(part)]


class StreamDecoder:
    """Decode ids one by one, and return each character as soon as it is certain.

    The pieces joined are ``tokenizer.decode`` of all ids, cut before the `stop` string that begins
    first. No piece has a part of a character, or of a stop string. `stopped` tells whether one was
    found; `feed` ignores all ids after it. A run of byte tokens such as ``<0xC3>`` comes when the
    next token with a text ends it: what is not UTF-8 as a whole may be decoded byte by byte.

    >>> from companion.bpe import gpt2
    >>> decoder = StreamDecoder(gpt2(), stop=["END"])
    >>> [decoder.feed(token_id) for token_id in [41840, 235, 23578]], decoder.stopped
    (['', '👍', ' '], True)
    """

    def __init__(self, tokenizer: Tokenizer, *, stop: Iterable[str] = ()) -> None:
        texts = stop if isinstance(stop, str) else [*stop]
        if isinstance(texts, str) or not all(isinstance(text, str) and text for text in texts):
            raise ValueError(f"stop must be texts that are not empty, as in ['END'], not {texts!r}")
        self.stopped = False
        self._decode, self._stop = tokenizer.decode, texts
        self._beginnings = {text[:n] for text in texts for n in range(1, len(text))}
        vocab = getattr(tokenizer, "vocab", {})
        names = (form % byte for byte in range(256) for form in ("<0x%02X>", "<0x%02x>"))
        self._byte_ids = {vocab[name] for name in names if name in vocab}
        self._old: list[int] = []
        self._new: list[int] = []  # the last ids: written, and not complete
        self._written, self._held = 0, ""  # characters of their text; what may begin a stop string

    def __repr__(self) -> str:
        return f"{type(self).__name__}(stop={self._stop}, stopped={self.stopped})"

    def feed(self, token_id: int) -> str:
        """Take the next id, and return the text that is certain now; it may be empty."""
        token_id = as_id(token_id, "token_id")
        if self.stopped:
            return ""
        # 1. A byte token waits for the end of its run, and an id without text, such as padding, for
        #    one with text. It is decoded twice, because the space of a first token is removed.
        if token_id in self._byte_ids or (self._new and not self._decode([token_id] * 2)):
            self._new.append(token_id)
            return ""
        # 2. Decode the new ids behind some old ones, because the first token of a text may be
        #    decoded in another way: without its space, for example.
        new = [*self._new, token_id]
        text = self._decode(self._old + new)
        # 3. A U+FFFD at the end may be the beginning of a character.
        certain = text.removesuffix("\ufffd")
        piece = certain[self._written :]
        self._new, self._written = new, len(certain)
        # 4. New ids that have a text of their own, complete or longer than a character can be, take
        #    the place of the old ones. That text may begin within a character, as a U+FFFD, but it
        #    ends as the whole text does: all of it is written, but for what step 3 held back.
        own = self._decode(new)
        if len(own) > 4 or (own and certain == text):
            self._old, self._new, self._written = new, [], len(own) - (certain != text)
        return self._release(piece)

    def close(self) -> str:
        """Return what was held back, because no id follows."""
        rest = "" if self.stopped else self._decode(self._old + self._new)[self._written :]
        self._old, self._new, self._written, self._beginnings = [], [], 0, set()
        return self._release(rest)

    def _release(self, piece: str) -> str:
        text = self._held + piece
        # Where does the first stop string begin, and where the first one that is not complete?
        begins = min((text.find(stop) for stop in self._stop if stop in text), default=len(text))
        parts = [len(part) for part in self._beginnings if text.endswith(part)]
        may_begin = len(text) - max(parts, default=0)
        end = min(begins, may_begin)
        self.stopped = self.stopped or end == begins < len(text)
        self._held = "" if self.stopped else text[end:]
        return text[:end]
