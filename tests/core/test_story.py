import difflib
from pathlib import Path

from companion.story import SENTENCE, load_story


def test_the_story_is_our_own(test_texts: Path) -> None:
    """No run of more than six words stands in Potter's tale as well."""
    ours = load_story().split()
    hers = (test_texts / "peter_rabbit.txt").read_text(encoding="utf-8").split()
    match = difflib.SequenceMatcher(None, ours, hers, autojunk=False).find_longest_match()
    assert match.size <= 6, ours[match.a : match.a + match.size]
    assert ours[:9] != SENTENCE.split()
