import difflib
from collections import Counter
from pathlib import Path

from companion.story import SENTENCE, load_story
from companion.words import tokenize


def test_the_sentence_can_be_read_and_the_classic_one_cannot() -> None:
    tokens = set(tokenize(load_story()))
    assert set(SENTENCE.split()) <= tokens
    assert set(tokenize(", and were all very .")) <= tokens
    assert "They" in tokens
    assert not tokens & {"they", "happy"}


def test_the_story_has_what_the_chapters_show() -> None:
    story = load_story()
    tokens = tokenize(story)
    counts = Counter(tokens)
    assert story.isascii()
    assert 900 <= len(story.split()) <= 1200
    assert len(counts) > 200
    assert {'"', "'", "--"} <= set(counts)  # dialogue, an apostrophe, a dash
    assert "oat-cakes" in counts
    both_cases = {t for t in counts if t[0].isupper() and t.lower() in counts}
    assert {"Rabbits", "The", "They", "There"} & both_cases >= {"Rabbits", "The", "There"}
    assert sum(count > 5 for count in counts.values()) > 30  # words repeat: merges can be learned


def test_the_story_is_our_own(test_texts: Path) -> None:
    """No run of more than six words stands in Potter's tale as well."""
    ours = load_story().split()
    hers = (test_texts / "peter_rabbit.txt").read_text(encoding="utf-8").split()
    match = difflib.SequenceMatcher(None, ours, hers, autojunk=False).find_longest_match()
    assert match.size <= 6, ours[match.a : match.a + match.size]
    assert ours[:9] != SENTENCE.split()
