"""The exercises of the chapter `wordpiece`: right and wrong answers."""

from answers import EXERCISES, Wrong, tried

from companion.wordpiece import bert_uncased


def fewest(word: str) -> list[str] | None:
    """Search breadth first: the first split that is complete is a shortest."""
    splits: list[list[str]] = [[]]
    while splits:
        longer = []
        for split in splits:
            at = sum(len(piece.removeprefix("##")) for piece in split)
            if at == len(word):
                return split
            for end in range(at + 1, len(word) + 1):
                piece = ("##" if at else "") + word[at:end]
                if piece in bert_uncased().vocab:
                    longer.append([*split, piece])
        splits = longer
    return None


RIGHT = [
    ("wordpiece.dead-end", [{"hu", "hug", "##gs"}, "hugs"]),
    ("wordpiece.fewest", fewest),
]  # fmt: skip

WRONG: Wrong = [
    ("wordpiece.offsets", lambda text: EXERCISES["wordpiece.offsets"].right(text.lower()),
     "A piece may occur twice"),
    ("wordpiece.dead-end", ("abc", ["a", "ab", "##bc"]),
     "Give a pair: first the list"),
    ("wordpiece.dead-end", (["a", "ab", "bc"], "abc"),
     "The marks are wrong: the first piece of 'abc' needs no ##"),
    ("wordpiece.dead-end", (["a", "ab", "##c"], "abx"),
     "'abx' cannot be built from these pieces at all."),
    ("wordpiece.dead-end", (["a", "##b", "##bc"], "abc"), "The greedy rule reads 'abc' as a ##bc."),
    ("wordpiece.fewest", bert_uncased().tokenize,
     "('mistrust'): that is the split of the greedy rule"),
    ("wordpiece.fewest", lambda word: " ".join(fewest(word) or []),
     "('mistrust'): it returns 'mis ##trust'"),
    ("wordpiece.fewest", lambda word: [p.removeprefix("##") for p in fewest(word) or []],
     "in ['mis', 'trust'], 'trust' does not begin the word"),
    ("wordpiece.fewest", lambda word: fewest(word) or ["[UNK]"],
     "'rabbit🐇' cannot be built from pieces of the list"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
