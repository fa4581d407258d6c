"""The figures of the chapters `bpe` and `gpt2-tokenizer` show what the tokenizer does."""

from itertools import pairwise

import numpy as np
import pytest
from figure_checks import boxes, grid, is_filled, labelled, legend, reading, texts
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from companion import plots
from companion.bpe import BYTE_TO_UNICODE, BPETokenizer, gpt2, train_bpe
from companion.plots._drawing import LATIN_EXTENDED, SANS

TOKENIZER = train_bpe("low lower lowest slow", 262)


def written(token: bytes) -> str:
    return token.decode().replace(" ", "␣")


def filled(ax: Axes) -> list[str]:
    """The tokens in dark boxes; all others have light ones, and each the colour of its kind."""
    found = []
    for box, labels in labelled(ax):
        (text,) = (label.get_text() for label in labels)
        assert same_color(box.get_edgecolor(), plots.BYTE if len(text) == 1 else plots.TOKEN)
        if np.allclose(box.get_facecolor(), box.get_edgecolor()):
            found.append(text)
    return found


@pytest.mark.parametrize("word", [" unbelievability", "rabbits"])
def test_merge_ladder_writes_each_step_and_its_rank(word: str) -> None:
    steps = gpt2().merge_steps(word)
    made = [
        next(a + b for a, b in pairwise(before) if a + b in after and a + b not in before)
        for before, after in pairwise(steps)
    ]
    ranks = [[a + b for a, b in gpt2().merges].index(token) for token in made]
    ax = plots.merge_ladder(gpt2(), word)
    names = ["bytes", *(f"{rank:,}" for rank in ranks)]
    assert reading(ax) == [
        ["rank"],
        *([name, *map(written, step)] for name, step in zip(names, steps, strict=True)),
    ]
    assert filled(ax) == [written(token) for token in made]


def test_merge_ladder_draws_a_token_as_wide_as_its_bytes() -> None:
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in boxes(plots.merge_ladder(gpt2(), "unbelievability")):
        outline = box.get_path().get_extents()
        middle = round(float(outline.y0 + outline.y1), 4)
        rows.setdefault(middle, []).append((outline.x0 - 0.015, outline.x1 + 0.015))
    left, cell = 0.74, (rows[max(rows)][-1][1] - 0.74) / 15
    for row, step in zip(rows.values(), gpt2().merge_steps("unbelievability"), strict=True):
        x = left
        for edges, token in zip(row, step, strict=True):
            assert edges == pytest.approx((x, x + cell * len(token)))
            x += cell * len(token)


def test_bytes_that_are_no_printable_text_are_written_in_hexadecimal() -> None:
    ladder = reading(plots.merge_ladder(gpt2(), "👍"))
    assert ladder[1] == ["bytes", "F0", "9F", "91", "8D"]
    assert ladder[-1][1:] == ["F0 9F 91", "8D"]
    assert reading(plots.merge_ladder(gpt2(), b"\n"))[1:] == [["bytes", "0A"]]
    assert {"9F", "F0 9F 91"} < set(texts(plots.derivation_tree(gpt2(), "👍")))


@pytest.mark.parametrize("word", ["lower", " lowest", "x"])
def test_derivation_tree_joins_each_token_to_its_two_parts(word: str) -> None:
    steps = TOKENIZER.merge_steps(word)
    ax = plots.derivation_tree(TOKENIZER, word)
    assert sorted(filled(ax)) == sorted(map(written, steps[-1]))
    tokens = [label for _, labels in labelled(ax) for label in labels]
    where = {tuple(round(x, 6) for x in token.get_position()): token.get_text() for token in tokens}
    joins: dict[str, str] = {}
    for line in ax.lines:
        (x, y), (x_part, y_part) = line.get_xydata().round(6).tolist()
        assert y > y_part
        joins[where[x, y]] = joins.get(where[x, y], "") + where[x_part, y_part]
    made = {written(a + b): written(a + b) for a, b in TOKENIZER.merges if a + b in word.encode()}
    assert joins == {token: token for token in made if len(word) > 1}
    assert len(ax.lines) == 2 * (len(steps) - 1)
    # Under each token that was made stands the rank of its merge.
    ranks = {written(a + b): str(rank) for rank, (a, b) in enumerate(TOKENIZER.merges)}
    below = {
        token.get_text(): label.get_text()
        for token in tokens
        for label in ax.texts
        if np.subtract(token.get_position(), label.get_position()) == pytest.approx([0, 0.28])
    }
    assert below == {token: ranks[token] for token in joins}


def test_tokens_per_merge_counts_with_the_first_merges_only() -> None:
    samples = {"learned": "low lower lowest slow slowly " * 40, "other": "low lows"}
    ax = plots.tokens_per_merge(TOKENIZER, samples)
    for line, sample in zip(ax.lines, samples.values(), strict=True):
        for size, count in line.get_xydata().tolist():
            assert count == len(BPETokenizer(TOKENIZER.merges[: int(size)]).encode(sample))
        assert line.get_xdata().tolist() == [*range(len(TOKENIZER.merges) + 1)]
    ends = [len(TOKENIZER.encode(sample)) for sample in samples.values()]
    assert legend(ax) == [f"learned: 1,160 to {ends[0]:,}", f"other: 8 to {ends[1]}"]
    halves = BPETokenizer([(b"a", b"b")], pattern="a|b")  # it splits as the tokenizer does
    assert list(plots.tokens_per_merge(halves, {"ab": "abab"}).lines[0].get_ydata()) == [4, 4]


def test_tokens_per_merge_takes_about_fifty_sizes_more_of_the_small_ones() -> None:
    merges = [(bytes([left]), bytes([right])) for left in range(20) for right in range(20)]
    ax = plots.tokens_per_merge(BPETokenizer(merges), {"text": "low"})
    sizes = [int(size) for size in ax.lines[0].get_xdata()]
    assert (sizes[:4], sizes[-2:], len(sizes)) == ([0, 1, 3, 6], [388, 400], 51)


def test_byte_alphabet_has_a_cell_for_each_byte_in_its_place() -> None:
    ax = plots.byte_alphabet(BYTE_TO_UNICODE)
    explained, columns, *rows = reading(ax)
    assert explained == ["as itself: 188", "another character: 68"]
    assert columns == [*"0123456789ABCDEF"]
    swatches, *squares = grid(ax)
    assert [is_filled(swatch) for swatch in swatches] == [False, True]
    for first, (row, of_row) in enumerate(zip(rows, squares, strict=True)):
        of_bytes = [BYTE_TO_UNICODE[16 * first + i] for i in range(16)]
        assert row == [f"{first:X}", *of_bytes]
        own = [character == chr(16 * first + i) for i, character in enumerate(of_bytes)]
        assert [not is_filled(cell) for cell in of_row] == own
    # The bundled fonts lack Ġ and its like: they would set a letter and a loose accent.
    for label in ax.texts[2 + 2 * 16 :]:
        assert label.get_fontfamily() == (SANS if label.get_text() < "\u0100" else LATIN_EXTENDED)


def test_id_ranges_add_up() -> None:
    assert texts(plots.id_ranges(gpt2())) == [
        *("0 … 255", "256 bytes", "!", "…", "Ń"),
        *("256 … 50,255", "50,000 merges", "Ġt", "…", "Ġgazed"),
        *("50,256", "1 special", "<|endoftext|>"),
    ]
    assert texts(plots.id_ranges(BPETokenizer([])))[:2] == ["0 … 255", "256 bytes"]
    one = BPETokenizer([(b" ", b"t")], special_tokens=["<|a|>", "<|b|>"])
    assert texts(plots.id_ranges(one))[5:] == [
        *("256", "1 merge", "Ġt"),
        *("257 … 258", "2 special", "<|a|>", "…", "<|b|>"),
    ]
