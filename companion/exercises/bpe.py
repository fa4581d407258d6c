"""Exercises of the chapter `bpe`."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from companion.bpe import train_bpe
from companion.exercises._grading import Exercise, Mistake, plain, shown
from companion.story import load_story

IdPair = tuple[int, int]
Counts = Mapping[IdPair, int]
CountFunction = Callable[..., Counts]


def _pair_counts(answer: Any) -> dict[IdPair, int] | None:
    """Read counts of pairs, without those that are zero; None if it is something else."""
    if not isinstance(answer, Mapping):
        return None
    counts = {_hashable(pair): plain(count) for pair, count in answer.items()}
    return {pair: count for pair, count in counts.items() if count}


def _hashable(pair: Any) -> Any:
    pair = plain(pair)
    return tuple(pair) if isinstance(pair, list) else pair


def _judge_counts(
    answer: CountFunction,
    cases: Sequence[tuple[Any, ...]],
    right: CountFunction,
    mistakes: Sequence[tuple[CountFunction, str]],
) -> str | None:
    """Compare counts of pairs, where a pair that counts zero may be left out or not."""
    given = []
    for case in cases:
        result = answer(*case)
        if (counts := _pair_counts(result)) is None:
            return f"It gives {shown(result)}; return a Counter, or a dictionary, of pairs."
        given.append(counts)
    missed = [i for i, case in enumerate(cases) if given[i] != _pair_counts(right(*case))]
    if not missed:
        return None
    for wrong, message in mistakes:
        if all(given[i] == _pair_counts(wrong(*cases[i])) for i in missed):
            return message
    first, should = missed[0], _pair_counts(right(*cases[missed[0]]))
    arguments = ", ".join(map(shown, cases[first]))
    return f"For ({arguments}) it gives {shown(given[first])}, and it should give {shown(should)}."


# ------------------------------------------------------------------------------ ties


def _largest_ids(counts: Counts) -> IdPair:
    return max(counts, key=lambda pair: (counts[pair], pair))


# In each case with a tie the usual mistakes choose different pairs.
_TIES: list[Counts] = [
    {(97, 97): 4, (97, 98): 2, (98, 100): 1},
    {(50, 60): 3, (1, 2): 3, (90, 2): 3, (40, 250): 3, (99, 99): 2, (0, 0): 1},
    {(3, 9): 4, (7, 1): 4, (7, 5): 4, (8, 0): 3, (0, 1): 2},
    {(5, 5): 1},
]

# ------------------------------------------------------------------------------ overlaps


def _count_all(ids: Sequence[int]) -> Counter[IdPair]:
    return Counter(pairwise(ids))


def _count_apart(ids: Sequence[int]) -> Counter[IdPair]:
    counts: Counter[IdPair] = Counter()
    counted_at: dict[IdPair, int] = {}
    for i, pair in enumerate(pairwise(ids)):
        if counted_at.get(pair) != i - 1:
            counts[pair] += 1
            counted_at[pair] = i
    return counts


def _count_in_twos(ids: Sequence[int]) -> Counter[IdPair]:
    """Let places of different pairs exclude each other, too."""
    return Counter(zip(ids[::2], ids[1::2], strict=False))


def _count_changes(ids: Sequence[int]) -> Counter[IdPair]:
    """Count a pair only if it is another one than the pair before."""
    pairs = list(pairwise(ids))
    return Counter(pair for i, pair in enumerate(pairs) if i == 0 or pair != pairs[i - 1])


_RUNS = ["aaaa", "aaaaa", "", "a", "abcabc", "aaaaabcbcbc", "abababa", "baaab", "aabaaabaaaa"]

_WRONG_COUNTS: list[tuple[CountFunction, str]] = [
    (_count_all, "That counts every place, overlaps included."),
    (_count_in_twos,
     "Only places of the same pair exclude each other: in abc, ab and bc both count."),
    (_count_changes,
     "In a run of four there is room for two pairs: after one that was left out, the next counts "
     "again."),
]  # fmt: skip


def _judge_apart(count_apart: CountFunction) -> str | None:
    cases = [(list(text.encode()),) for text in _RUNS]
    return _judge_counts(count_apart, cases, _count_apart, _WRONG_COUNTS)


# ------------------------------------------------------------------------------ from n to m

_N_FIRST, _N_LAST = 256, 1000
_LONG, _SHORT = 1024, 4


@cache
def _story_lengths() -> tuple[int, int]:
    """Return the length of the story before and after the first 200 merges, across words."""
    story = load_story()
    all_one_word = r"(?s).+"
    tokenizer = train_bpe(story, 256 + 200, pattern=all_one_word)
    return len(story.encode()), len(tokenizer.encode(story))


def _judge_n_to_m(answers: Any) -> str | None:
    answers = plain(answers)
    if not isinstance(answers, list) or len(answers) != 4:
        return "Hand over a list of four numbers: the merges, the fewest, the most, the places."
    before, after = _story_lengths()
    fewest = next(k for k in range(_LONG) if _SHORT << k >= _LONG)
    checks: list[tuple[str, int, dict[float, str]]] = [
        ("The first", _N_LAST - _N_FIRST, {
            _N_LAST: "counts all symbols at the end, and some were there without a merge",
            _N_LAST + _N_FIRST: "adds what is there at the beginning, which takes no merge",
        }),
        ("The fewest", fewest, {
            _LONG - _SHORT: "is what it takes if each merge joins in one place; it can join in "
            "many",
            _LONG // _SHORT: "is how many times shorter the text is; a merge can at best halve it, "
            "so ask how many halvings that takes",
            _LONG.bit_length() - 1: f"leaves a single symbol, and {_SHORT} are to be left",
            1: "is too few: a merge joins two symbols, and so can at best halve the text",
        }),
        ("The most", _LONG - _SHORT, {
            _LONG - 1: f"leaves a single symbol, and {_SHORT} are to be left",
            _LONG: f"would leave nothing, and {_SHORT} symbols are to be left",
            fewest: "is what it takes if each merge halves the text; it may join in one place only",
            _LONG // 2: "is how many symbols one merge can take away; the most merges take few "
            "away each",
        }),
        ("The last", before - after, {
            200: "is how many merges there were; each joins wherever its pair stands",
            after: "is how many tokens are left; ask how many have gone",
            before: "is how many bytes there were; not all of them have gone",
        }),
    ]  # fmt: skip
    for given, (which, right, usual) in zip(answers, checks, strict=True):
        if given != right:
            what = usual.get(given) if isinstance(given, int | float) else None
            return f"{which}, {shown(given)}, {what or 'is not it'}."
    return None


# ------------------------------------------------------------------------------ neighbours


def _merge(word: Sequence[int], pair: IdPair, new: int) -> list[int]:
    symbols = "".join(map(chr, word)).replace(chr(pair[0]) + chr(pair[1]), chr(new))
    return [ord(symbol) for symbol in symbols]


def _changes(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    delta = _count_all(_merge(word, pair, new))
    delta.subtract(_count_all(word))
    return delta


def _changes_but_the_pair(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    delta = Counter(_changes(word, pair, new))
    delta[pair] += _merge(word, pair, new).count(new)
    return delta


def _changes_on_both_sides(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    """Forget that the neighbour of a new symbol may be a new one itself."""
    delta: Counter[IdPair] = Counter()
    after = _merge(word, pair, new)
    for i, symbol in enumerate(after):
        if symbol == new:
            delta[pair] -= 1
            if i > 0:
                delta[after[i - 1], pair[0]] -= 1
                delta[after[i - 1], new] += 1
            if i + 1 < len(after):
                delta[pair[1], after[i + 1]] -= 1
                delta[new, after[i + 1]] += 1
    return delta


_WRONG_CHANGES: list[tuple[CountFunction, str]] = [
    (_changes_but_the_pair, "The merged pair itself goes, too: count it down at each place."),
    (_changes_on_both_sides,
     "Where two new symbols stand side by side, count the pair between them once, and what was "
     "there before is no new symbol."),
    (lambda *case: +Counter(_changes(*case)),
     "What goes must be in it too, with a negative number."),
    (lambda *case: {pair: -count for pair, count in _changes(*case).items()},
     "That is turned round: count up what is new, and down what goes."),
    (lambda word, pair, new: _count_all(_merge(word, pair, new)),
     "Those are the counts after the merge; return by how much they differ from those before."),
]  # fmt: skip


@cache
def _words_to_change() -> list[tuple[list[int], IdPair, int]]:
    cases = [(list(word.encode()), (word.encode()[0], word.encode()[1]), 256)
             for word in ("the", "aaa", "abab", "banana", "ab")]  # fmt: skip
    cases += [(list(b" there"), (104, 101), 300), (list(b"there"), (120, 121), 256)]
    draw = random.Random(1)
    for n_letters in (2, 3):
        for _ in range(150):
            word = draw.choices([97, 98, 99][:n_letters], k=draw.randrange(2, 14))
            i = draw.randrange(len(word) - 1)
            cases.append((word, (word[i], word[i + 1]), draw.randrange(256, 400)))
    return cases


def _judge_changes(changes: CountFunction) -> str | None:
    return _judge_counts(changes, _words_to_change(), _changes, _WRONG_CHANGES)


# ------------------------------------------------------------------------------ lower case


def _lower_counts(word_counts: Mapping[str, int]) -> Counter[str]:
    added: Counter[str] = Counter()
    for word, count in word_counts.items():
        added[word.lower()] += count
    return added


def _largest_of_each(word_counts: Mapping[str, int]) -> dict[str, int]:
    largest: dict[str, int] = {}
    for word, count in word_counts.items():
        largest[word.lower()] = max(count, largest.get(word.lower(), 0))
    return largest


def _first_of_each(word_counts: Mapping[str, int]) -> dict[str, int]:
    return {word.lower(): count for word, count in reversed([*word_counts.items()])}


EXERCISES = [
    Exercise(
        "bpe.ties", "Three tie rules", topic="ties", level=2, minutes=15,
        right=_largest_ids, cases=[(counts,) for counts in _TIES],
        mistakes=[
            Mistake(lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)),
                    "Of equals this takes the smallest ids, which is the rule of the chapter."),
            Mistake(lambda counts: max(counts, key=counts.get),
                    "Of equals this takes the pair met first: the ids must have a say."),
            Mistake(max, "The count comes first; the ids decide between equal counts only."),
            Mistake(lambda counts: min(counts, key=lambda pair: (counts[pair], pair)),
                    "That is the least frequent pair."),
            Mistake(lambda counts: max(counts, key=lambda pair: (counts[pair], sum(pair))),
                    "Compare the left ids, and the right ones only if those are equal; the sum "
                    "does not matter."),
            Mistake(lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0])),
                    "Where the left ids are equal, too, the right ones decide."),
            Mistake(lambda counts: counts[_largest_ids(counts)],
                    "Return the pair, not its count."),
        ],
    ),
    Exercise(
        "bpe.overlap", "Overlaps", topic="counting pairs", level=2, minutes=15,
        judge=_judge_apart, asks="a function of (ids) that returns a Counter of pairs",
        hint="The list may be empty, or hold a single id.",
    ),
    Exercise(
        "bpe.n-to-m", "From n to m", topic="counting merges", level=2, minutes=15,
        judge=_judge_n_to_m,
        asks="a list of four numbers: the merges, the fewest, the most, the places",
    ),
    Exercise(
        "bpe.neighbours", "Neighbours only", topic="updating counts", level=3, minutes=30,
        judge=_judge_changes,
        asks="a function of (word, pair, new) that returns a Counter of changes",
        hint="The new symbol may stand at the beginning or the end of the word, or nowhere.",
    ),
    Exercise(
        "bpe.fold", "Words that become equal", topic="word counts", level=1, minutes=10,
        right=_lower_counts,
        cases=[({" The": 8, " the": 107, " gate": 3},), ({" the": 107, " The": 8},), ({},),
               ({"AB": 2, "Ab": 5, "aB": 3, "c": 1},), ({" Éa": 1, " éa": 1, " ea": 4},)],
        mistakes=[
            Mistake(lambda counts: {word.lower(): count for word, count in counts.items()},
                    "The count that is written last still replaces the others."),
            Mistake(_first_of_each, "The first count is kept, and the others are dropped."),
            Mistake(_largest_of_each, "The larger count is kept, and the others are dropped."),
            Mistake(lambda counts: Counter(word.lower() for word in counts),
                    "That counts how many forms a word has; add up their counts."),
            Mistake(lambda counts: counts, "Upper and lower case are still kept apart."),
        ],
    ),
]  # fmt: skip
