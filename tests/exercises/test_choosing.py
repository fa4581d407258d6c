"""The exercises of the chapter `choosing`: right answers pass, each wrong one hears why."""

import re

import numpy as np
from answers import tried

from companion.bpe import gpt2, train_bpe


def n_bytes(text: str) -> int:
    return sum(1 + (c >= "\x80") + (c >= "\u0800") + (c >= "\U00010000") for c in text)


def n_tokens(text: str) -> int:
    return len(gpt2().encode(text))


def factors(text: str, reference: str) -> tuple[float, float]:
    packed, packed_in_reference = (n_bytes(t) / n_tokens(t) for t in (text, reference))
    return n_bytes(text) / n_bytes(reference), packed_in_reference / packed


def group(digits: str) -> list[str]:
    groups: list[str] = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    return groups


def group_from_left(digits: str) -> list[str]:
    return re.findall(r"\d{1,3}", digits)


def idle_rows(text: str, vocab_size: int) -> tuple[int, int]:
    tokenizer = train_bpe(text, vocab_size)
    idle = np.ones(tokenizer.n_vocab, dtype=bool)
    idle[tokenizer.encode(text)] = False
    return idle[256:].sum(), idle[:256].sum()


def rows_in_use(text: str, vocab_size: int) -> tuple[int, int]:
    ids = set(train_bpe(text, vocab_size).encode(text))
    return len([i for i in ids if i > 255]), len([i for i in ids if i < 256])


def idle_rows_as_asked(text: str, vocab_size: int) -> tuple[int, int]:
    ids = set(train_bpe(text, vocab_size).encode(text))
    return len(set(range(256, vocab_size)) - ids), len(set(range(256)) - ids)


def bytes_not_in_text(text: str, vocab_size: int) -> tuple[int, int]:
    return idle_rows(text, vocab_size)[0], 256 - len(set(text.encode()))


def half_table(n_blocks: int, d: int) -> float:
    rest = n_blocks * (12 * d**2 + 13 * d) + 1024 * d + 2 * d
    return rest / d


def harmless_cuts(text: str) -> np.ndarray:
    counts = np.zeros(2, dtype=int)
    for match in re.finditer(" ", text):
        for i, at in enumerate((match.end(), match.start())):
            parts = gpt2().encode(text[:at]), gpt2().encode(text[at:])
            counts[i] += [*parts[0], *parts[1]] == gpt2().encode(text)
    return counts


def cuts_of_text(text: str) -> tuple[int, int]:
    n = 0
    for i in (i for i, c in enumerate(text) if c == " "):
        ids = gpt2().encode(text[:i]) + gpt2().encode(text[i:])
        n += gpt2().decode(ids) == text
    return n, n


def cuts_by_split(text: str) -> tuple[int, int]:
    words = text.split(" ")
    whole = gpt2().encode(text)
    n = 0
    for i in range(1, len(words)):
        left, right = " ".join(words[:i]), " ".join(words[i:])
        n += gpt2().encode(left) + gpt2().encode(right) == whole
    return n, n


HINTS = {
    "choosing.scripts": "It takes two texts and returns two numbers.",
    "choosing.untouched": "It takes a text and a vocabulary size, and returns two numbers.",
    "choosing.half": "It takes the number of blocks and d, and returns V.",
    "choosing.tail": "It takes a text and returns two counts.",
}

RIGHT = [
    ("choosing.scripts", factors),
    ("choosing.scripts", lambda text, reference: np.round(factors(text, reference), 3)),
    ("choosing.digits", group),
    ("choosing.digits", lambda digits: re.findall(r"\d{1,3}(?=(?:\d{3})*$)", digits)),
    ("choosing.digits", lambda digits: tuple(group(digits))),
    ("choosing.untouched", idle_rows),
    ("choosing.untouched", lambda text, vocab_size: np.array(idle_rows(text, vocab_size))),
    ("choosing.half", half_table),
    ("choosing.half", lambda n_blocks, d: np.int64(half_table(n_blocks, d))),
    ("choosing.tail", harmless_cuts),
    ("choosing.tail", lambda text: (int(n) for n in harmless_cuts(text))),
]  # fmt: skip

WRONG = [
    ("choosing.scripts",
     lambda text, reference: (len(text) / len(reference), factors(text, reference)[1]),
     "The first factor compares bytes of UTF-8, and len(text) counts characters."),
    ("choosing.scripts",
     lambda text, reference: (
         len(text) / len(reference),
         (len(reference) / n_tokens(reference)) / (len(text) / n_tokens(text))),
     "The first factor compares bytes of UTF-8, and len(text) counts characters."),
    ("choosing.scripts",
     lambda text, reference: (factors(text, reference)[0], n_tokens(text) / n_tokens(reference)),
     "Your second number is the whole price; divide the first factor out of it."),
    ("choosing.scripts",
     lambda text, reference: (factors(text, reference)[0], 1 / factors(text, reference)[1]),
     "The second factor is upside down: fewer bytes in a token make a text dearer."),
    ("choosing.scripts", lambda text, reference: factors(reference, text),
     "Both factors are upside down: the text is compared with the reference."),
    ("choosing.scripts", lambda text, reference: factors(text, reference)[::-1],
     "The factor of the bytes comes first, then that of the packing."),
    ("choosing.scripts", lambda text: factors(text, "Once upon a time"),
     "It is called with (text, reference), and yours takes (text)."),
    ("choosing.digits", group_from_left,
     "These groups are counted from the left: the short one must come first."),
    ("choosing.digits",
     lambda digits: [digits[: len(digits) % 3], *group(digits[len(digits) % 3 :])],
     "Where the groups come out even, there is no short one: drop the empty string."),
    ("choosing.digits", lambda digits: format(int(digits), ",").split(","),
     "Zeros at the front are digits too: cut the string, not the number that it spells."),
    ("choosing.digits", lambda digits: group_from_left(digits[::-1]),
     "Your groups are mirrored: turn the digits round again, and the list."),
    ("choosing.digits", lambda digits: group_from_left(digits[::-1])[::-1],
     "The digits inside each group are mirrored."),
    ("choosing.digits", lambda digits: group(digits)[::-1],
     "The groups are right, and stand in the wrong order: the number begins left."),
    ("choosing.digits", lambda digits: [gpt2().decode([i]) for i in gpt2().encode(digits)],
     "That is how GPT-2 cuts it; cut it yourself."),
    ("choosing.digits", lambda digits: ",".join(group(digits)),
     "your function('1234567') gives '1,234,567', and it should give ['1', '234', '567']."),
    ("choosing.untouched", rows_in_use,
     "That many come up; the question is how many never do."),
    ("choosing.untouched", idle_rows_as_asked,
     "A short text may run out of pairs, and then there are fewer ids than were asked for: see "
     "n_vocab."),
    ("choosing.untouched", bytes_not_in_text,
     "A byte that stands in the text may still be swallowed by a merge wherever it does: look at "
     "the ids, not at the text."),
    ("choosing.untouched", lambda text, size: idle_rows(text, size)[::-1],
     "The learned tokens come first, then the bytes."),
    ("choosing.untouched", lambda text, size: sum(idle_rows(text, size)),
     "That is the sum; give the learned tokens and the bytes apart."),
    ("choosing.untouched", (62, 210),
     "Hand over the function itself, a function of (text, vocab_size), not what it returns."),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) - 1024,
     "The position table belongs to the rest of the model, too."),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) - 2,
     "There is a last normalization, after all blocks."),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) * d,
     "That is how many parameters the table has; V counts its rows."),
    ("choosing.half", lambda n_blocks, d: (50_257 * d + half_table(n_blocks, d) * d) / 2 / d,
     "That is half of the model as it is now; but with V the whole changes as well."),
    ("choosing.half", lambda n_blocks, d: 2 * half_table(n_blocks, d),
     "Half of the whole means as much as the rest, not twice as much."),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) / 2,
     "Half of the whole means as much as the rest, not half as much."),
    ("choosing.half", lambda n_blocks, d: half_table(1, d),
     "Count every block, not just one."),
    ("choosing.half", lambda n_blocks, d: 111_774,
     "your function(24, 1024) gives 111774, and it should give 296250."),
    ("choosing.tail", cuts_of_text,
     "Decoded, both parts always make up the text again; compare the ids."),
    ("choosing.tail", cuts_by_split,
     "The space must stay in one of the two parts, and yours has lost it."),
    ("choosing.tail", lambda text: harmless_cuts(text)[::-1],
     "First the cuts with the space on the left, then those with it on the right."),
    ("choosing.tail", lambda text: text.count(" ") - harmless_cuts(text),
     "That many cuts change the ids; count those that do not."),
    ("choosing.tail", lambda text: harmless_cuts(text) / text.count(" "),
     "Those are shares; give the two counts."),
    ("choosing.tail", lambda text: (0, text.count(" ")),
     "your function('the end ') gives [0, 2], and it should give [1, 2]."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, hints=HINTS)
