"""Where tokenizers cut a text: each token with the bytes of the text that it stands for.

The figure of aligned cuts draws it, still (`workbook.plots.aligned_cuts`) and live.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from companion.bpe import GPT2_PATTERN, BPETokenizer
from companion.unigram import UnigramTokenizer
from companion.wordpiece import WordPieceTokenizer
from companion.wordpiece.cleaning import normalized, words_of
from companion.words import WordTokenizer, tokenize

Split = Callable[[str], Sequence[str]]
Tokenizer = BPETokenizer | UnigramTokenizer | WordPieceTokenizer | WordTokenizer | Split | None


class Cut(NamedTuple):
    """A token, the bytes of the text from `start` to `end`, and whether it hides them.

    A token that is no text by itself is in hexadecimal.
    """

    token: str
    start: int
    end: int
    is_bytes: bool = False
    is_lost: bool = False


def cuts(tokenizer: Tokenizer, text: str) -> list[Cut]:
    """Return the tokens of a text with their bytes; without a tokenizer each byte is one.

    A function cuts a text into parts and leaves none out.

    >>> from companion.wordpiece import bert_uncased
    >>> for cut in cuts(bert_uncased(), "Café 🐇"):
    ...     print(*cut)
    cafe 0 5 False False
    [UNK] 6 10 False True
    """
    starts = list(accumulate((len(character.encode()) for character in text), initial=0))
    match tokenizer:
        case None:
            return [Cut(f"{b:02X}", i, i + 1, is_bytes=True) for i, b in enumerate(text.encode())]
        case BPETokenizer():
            return list(_of_bytes(tokenizer, text))
        case WordTokenizer():
            found = _of_words(tokenizer, text)
        case UnigramTokenizer():
            found = _of_pieces(tokenizer, text)
        case WordPieceTokenizer():
            return list(_of_letters(tokenizer, text, starts))
        case split:
            return list(_of_parts(split(text)))
    return [cut._replace(start=starts[cut.start], end=starts[cut.end]) for cut in found]


def cuts_of(text: str, tokenizers: Mapping[str, Tokenizer]) -> dict[str, Any]:
    """Return what scripts draw: where each tokenizer cuts a text, and the lists of small ones."""

    def state(each: Cut) -> dict[str, Any]:
        shown = {"text": each.token, "isBytes": each.is_bytes}
        return {"shown": shown, "from": each.start, "to": each.end, "isLost": each.is_lost}

    lists = dict[str, Any]()
    for name, tokenizer in tokenizers.items():
        if isinstance(tokenizer, BPETokenizer) and len(tokenizer.merges) < 1000:
            lists[name] = {
                "merges": [*merges_of(tokenizer)],
                "isWhole": tokenizer.pattern != GPT2_PATTERN,
            }
        elif isinstance(tokenizer, WordPieceTokenizer) and tokenizer.n_vocab < 1000:
            lists[name] = {"tokens": [*tokenizer.vocab]}
    rows = {name: [*map(state, cuts(tokenizers[name], text))] for name in tokenizers}
    return {"text": text, "rows": rows, "lists": lists}


def merges_of(tokenizer: BPETokenizer) -> bytes:
    """Return the three-byte ids that merges join, a plane for each byte: so they pack best."""
    ids = [[tokenizer.vocab[token] for token in pair] for pair in tokenizer.merges]
    parts = np.array(ids, "<u4").view(np.uint8).reshape(-1, 2, 4)
    return parts[:, :, :3].transpose(1, 2, 0).tobytes()


def _of_parts(parts: Sequence[str]) -> Iterator[Cut]:
    at = 0
    for part in parts:
        yield Cut(part, at, at := at + len(part.encode()))


def _of_bytes(tokenizer: BPETokenizer, text: str) -> Iterator[Cut]:
    at = 0
    for token_id in tokenizer.encode_ordinary(text):
        token = tokenizer.decode_single_token_bytes(token_id)
        try:
            yield Cut(token.decode(), at, at + len(token))
        except UnicodeDecodeError:
            yield Cut(token.hex(" ").upper(), at, at + len(token), is_bytes=True)
        at += len(token)


def _of_words(tokenizer: WordTokenizer, text: str) -> Iterator[Cut]:
    end = 0
    for word in tokenize(text):
        start = text.index(word, end)
        end = start + len(word)
        (token_id,) = tokenizer.encode(word)
        token = tokenizer.decode([token_id])
        yield Cut(token, start, end, is_lost=token != word)


def _of_pieces(tokenizer: UnigramTokenizer, text: str) -> Iterator[Cut]:
    letters, end = "▁" + text.replace(" ", "▁"), 0  # the first is in front of the text
    for token in tokenizer.tokenize(text):
        start, is_lost = end, token == "<unk>"  # of characters side by side that are no pieces
        end += len(token) * (not is_lost)
        while is_lost and end < len(letters) and letters[end] not in tokenizer.vocab:
            end += 1
        yield Cut(token, max(start - 1, 0), end - 1, is_lost=is_lost)


def _of_letters(tokenizer: WordPieceTokenizer, text: str, starts: list[int]) -> Iterator[Cut]:
    # Each letter as BERT reads it, with its share of the bytes of its character.
    ends: list[tuple[int, int]] = []
    for i, character in enumerate(text):
        size, letters = starts[i + 1] - starts[i], "".join(words_of(normalized(character)))
        marks = [starts[i] + size * k // len(letters) for k in range(len(letters) + 1) if letters]
        ends += pairwise(marks)
    at = 0
    for word in words_of(normalized(text)):
        for token in tokenizer.tokenize(word):
            is_lost = token == tokenizer.unk_token
            start, at = at, at + len(word if is_lost else token.removeprefix("##") or token)
            yield Cut(token, ends[start][0], ends[at - 1][1], is_lost=is_lost)
