"""Exercises of the chapter `choosing`."""

from collections.abc import Sequence

from companion.bpe import gpt2, train_bpe
from companion.exercises._grading import Exercise, Mistake
from companion.story import SENTENCE, load_story

GREEK = "Μια φορά κι έναν καιρό ήταν τέσσερα μικρά κουνελάκια"
CHINESE = "从前有四只小兔子"

# ------------------------------------------------------------------------------ two factors


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def _n_tokens(text: str) -> int:
    return len(gpt2().encode(text))


def _factors(text: str, reference: str) -> tuple[float, float]:
    more_bytes = _n_bytes(text) / _n_bytes(reference)
    price = _n_tokens(text) / _n_tokens(reference)
    return more_bytes, price / more_bytes


def _factors_of_characters(text: str, reference: str) -> tuple[float, float]:
    more_characters = len(text) / len(reference)
    price = _n_tokens(text) / _n_tokens(reference)
    return more_characters, price / more_characters


def _factors_first_of_characters(text: str, reference: str) -> tuple[float, float]:
    return len(text) / len(reference), _factors(text, reference)[1]


def _factors_with_price(text: str, reference: str) -> tuple[float, float]:
    return _factors(text, reference)[0], _n_tokens(text) / _n_tokens(reference)


def _factors_packing(text: str, reference: str) -> tuple[float, float]:
    more_bytes, fewer = _factors(text, reference)
    return more_bytes, 1 / fewer


def _factors_turned_over(text: str, reference: str) -> tuple[float, float]:
    return _factors(reference, text)


# ------------------------------------------------------------------------------ groups of digits


def _group(digits: str) -> list[str]:
    first = len(digits) % 3
    groups = [digits[i : i + 3] for i in range(first, len(digits), 3)]
    return [digits[:first], *groups] if first else groups


def _group_from_left(digits: str) -> list[str]:
    return [digits[i : i + 3] for i in range(0, len(digits), 3)]


def _group_with_empty(digits: str) -> list[str]:
    first = len(digits) % 3
    return [digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))]


def _group_mirrored(digits: str) -> list[str]:
    return [group[::-1] for group in _group(digits)[::-1]]


def _group_only_mirrored(digits: str) -> list[str]:
    return [group[::-1] for group in _group(digits)]


def _group_of_number(digits: str) -> list[str]:
    return f"{int(digits):,}".split(",")


def _group_by_gpt2(digits: str) -> list[str]:
    return [gpt2().decode([token_id]) for token_id in gpt2().encode(digits)]


# ------------------------------------------------------------------------------ idle rows


def _used(text: str, vocab_size: int) -> tuple[int, int, int]:
    """Count learned tokens, those of them that come up, and the bytes that come up."""
    tokenizer = train_bpe(text, vocab_size)
    used = set(tokenizer.encode(text))
    n_bytes = sum(token_id < 256 for token_id in used)
    return tokenizer.n_vocab - 256, len(used) - n_bytes, n_bytes


def _idle(text: str, vocab_size: int) -> tuple[int, int]:
    n_learned, n_used, n_bytes = _used(text, vocab_size)
    return n_learned - n_used, 256 - n_bytes


def _idle_of_asked(text: str, vocab_size: int) -> tuple[int, int]:
    _, n_used, n_bytes = _used(text, vocab_size)
    return vocab_size - 256 - n_used, 256 - n_bytes


def _idle_in_text(text: str, vocab_size: int) -> tuple[int, int]:
    return _idle(text, vocab_size)[0], 256 - len(set(text.encode("utf-8")))


# ------------------------------------------------------------------------------ half of the model


def _half(n_blocks: int, d: int) -> int:
    return n_blocks * (12 * d + 13) + 1024 + 2


def _half_of_today(n_blocks: int, d: int) -> float:
    return (50_257 + _half(n_blocks, d)) / 2


# ------------------------------------------------------------------------------ cuts at spaces


def _harmless_cuts(text: str) -> tuple[int, int]:
    whole = gpt2().encode(text)
    spaces = [i for i, c in enumerate(text) if c == " "]
    return (
        sum(_joined(text, i + 1) == whole for i in spaces),
        sum(_joined(text, i) == whole for i in spaces),
    )


def _joined(text: str, i: int) -> list[int]:
    return gpt2().encode(text[:i]) + gpt2().encode(text[i:])


def _cuts_of_text(text: str) -> tuple[int, int]:
    return text.count(" "), text.count(" ")


def _harmful_cuts(text: str) -> list[int]:
    return [text.count(" ") - n for n in _harmless_cuts(text)]


def _shares_of_cuts(text: str) -> list[float]:
    return [n / text.count(" ") for n in _harmless_cuts(text)]


def _turned(pair: Sequence[float]) -> list[float]:
    return list(pair)[::-1]


EXERCISES = [
    Exercise(
        "choosing.scripts", "One sentence, five scripts", topic="bytes and merges", level=2,
        minutes=15, right=_factors, tolerance=1e-3,
        cases=[(GREEK, SENTENCE), (CHINESE, SENTENCE), (SENTENCE, GREEK), ("café", "coffee")],
        mistakes=[
            Mistake(_factors_of_characters,
                    "The first factor compares bytes of UTF-8, and len(text) counts characters."),
            Mistake(_factors_first_of_characters,
                    "The first factor compares bytes of UTF-8, and len(text) counts characters."),
            Mistake(_factors_with_price,
                    "Your second number is the whole price; divide the first factor out of it."),
            Mistake(_factors_packing,
                    "The second factor is upside down: fewer bytes in a token make a text dearer."),
            Mistake(_factors_turned_over,
                    "Both factors are upside down: the text is compared with the reference."),
            Mistake(lambda text, reference: _turned(_factors(text, reference)),
                    "The factor of the bytes comes first, then that of the packing."),
        ],
        hint="It takes two texts and returns two numbers.",
    ),
    Exercise(
        "choosing.digits", "1234567", topic="digits", level=1, minutes=10,
        right=_group,
        cases=[("1234567",), ("12345678",), ("123456",), ("12",), ("2024",), ("007123",),
               ("1000000",)],
        mistakes=[
            Mistake(_group_from_left,
                    "These groups are counted from the left: the short one must come first."),
            Mistake(_group_with_empty,
                    "Where the groups come out even, there is no short one: drop the empty string."
                    ),
            Mistake(_group_of_number,
                    "Zeros at the front are digits too: cut the string, not the number that it "
                    "spells."),
            Mistake(_group_mirrored,
                    "Your groups are mirrored: turn the digits round again, and the list."),
            Mistake(_group_only_mirrored, "The digits inside each group are mirrored."),
            Mistake(lambda digits: _group(digits)[::-1],
                    "The groups are right, and stand in the wrong order: the number begins left."),
            Mistake(_group_by_gpt2, "That is how GPT-2 cuts it; cut it yourself."),
        ],
    ),
    Exercise(
        "choosing.untouched", "Rows that training never touched", topic="unused tokens", level=2,
        minutes=20, right=_idle,
        cases=[(load_story(), 600), (load_story(), 300), ("Rabbits, Rabbits", 258),
               ("a aaaa", 400)],
        mistakes=[
            Mistake(lambda text, size: _used(text, size)[1:],
                    "That many come up; the question is how many never do."),
            Mistake(_idle_of_asked,
                    "A short text may run out of pairs, and then there are fewer ids than were "
                    "asked for: see n_vocab."),
            Mistake(_idle_in_text,
                    "A byte that stands in the text may still be swallowed by a merge wherever it "
                    "does: look at the ids, not at the text."),
            Mistake(lambda text, size: _turned(_idle(text, size)),
                    "The learned tokens come first, then the bytes."),
            Mistake(lambda text, size: sum(_idle(text, size)),
                    "That is the sum; give the learned tokens and the bytes apart."),
        ],
        hint="It takes a text and a vocabulary size, and returns two numbers.",
    ),
    Exercise(
        "choosing.half", "Half of the model", topic="parameters", level=2, minutes=15,
        right=_half, cases=[(12, 768), (24, 1024), (48, 1600), (0, 3)],
        mistakes=[
            Mistake(lambda n_blocks, d: _half(n_blocks, d) - 1024,
                    "The position table belongs to the rest of the model, too."),
            Mistake(lambda n_blocks, d: _half(n_blocks, d) - 2,
                    "There is a last normalization, after all blocks."),
            Mistake(lambda n_blocks, d: _half(n_blocks, d) * d,
                    "That is how many parameters the table has; V counts its rows."),
            Mistake(_half_of_today,
                    "That is half of the model as it is now; but with V the whole changes as well."
                    ),
            Mistake(lambda n_blocks, d: 2 * _half(n_blocks, d),
                    "Half of the whole means as much as the rest, not twice as much."),
            Mistake(lambda n_blocks, d: _half(n_blocks, d) / 2,
                    "Half of the whole means as much as the rest, not half as much."),
            Mistake(lambda n_blocks, d: 12 * d + 13 + 1024 + 2, "Count every block, not just one."),
        ],
        hint="It takes the number of blocks and d, and returns V.",
    ),
    Exercise(
        "choosing.tail", "Prompts with a tail", topic="spaces", level=2, minutes=15,
        right=_harmless_cuts,
        cases=[(load_story()[:400],), ("Once upon a time there",), ("x = 1, y = 2",),
               ("the end ",), ("a  b",)],
        mistakes=[
            Mistake(_cuts_of_text,
                    "Decoded, both parts always make up the text again; compare the ids."),
            # Without the space at the cut the ids are never those of the text.
            Mistake(lambda text: (0, 0),
                    "The space must stay in one of the two parts, and yours has lost it."),
            Mistake(lambda text: _turned(_harmless_cuts(text)),
                    "First the cuts with the space on the left, then those with it on the right."),
            Mistake(_harmful_cuts, "That many cuts change the ids; count those that do not."),
            Mistake(_shares_of_cuts, "Those are shares; give the two counts."),
        ],
        hint="It takes a text and returns two counts.",
    ),
]  # fmt: skip
