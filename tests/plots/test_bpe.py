"""The figures of the chapters `bpe` and `gpt2-tokenizer` show what the tokenizer does."""

from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

from figure_checks import check_readable, is_centred
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion import plots
from companion.bpe import BYTE_TO_UNICODE, BPETokenizer, gpt2, train_bpe
from companion.plots._drawing import BOLD, LATIN_EXTENDED, MONO, SANS, tint

TOKENIZER = train_bpe("low lower lowest slow", 262)


@pytest.fixture
def alphabet() -> Any:
    return plots.byte_alphabet(BYTE_TO_UNICODE)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def rows(ax: Axes) -> list[list[str]]:
    """The labels of each row, from the top, from left to right."""
    found: dict[float, list[tuple[float, str]]] = {}
    for label in ax.texts:
        x, y = label.get_position()
        found.setdefault(round(y, 4), []).append((x, label.get_text()))
    return [[text for _, text in sorted(found[y])] for y in sorted(found, reverse=True)]


def rows_of_boxes(ax: Axes) -> list[list[tuple[float, float]]]:
    """Where the cell of each token of a ladder begins and ends, row by row from the top."""
    found: dict[float, list[tuple[float, float]]] = {}
    for patch in ax.patches:
        cell = patch.get_path().get_extents()
        place = round(float(cell.x0) - 0.015, 6), round(float(cell.x1) + 0.015, 6)
        found.setdefault(round(float(cell.y0 + cell.y1) / 2, 4), []).append(place)
    return [sorted(found[y]) for y in sorted(found, reverse=True)]


def filled(ax: Axes) -> list[FancyBboxPatch]:
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    return [box for box in boxes if np.allclose(box.get_facecolor(), box.get_edgecolor())]


@pytest.mark.parametrize("word", ["unbelievability", " unbelievability", "rabbits"])
def test_merge_ladder_writes_each_step_and_its_rank(word: str) -> None:
    tokenizer = gpt2()
    ax = plots.merge_ladder(tokenizer, word)
    written = rows(ax)
    steps = [[t.decode().replace(" ", "␣") for t in s] for s in tokenizer.merge_steps(word)]
    assert written[0] == ["rank"]
    assert [row[1:] for row in written[1:]] == steps
    assert written[1][0] == "bytes"
    ranks = [int(row[0].replace(",", "")) for row in written[2:]]
    assert ranks == sorted(ranks)
    for rank, before, after in zip(ranks, steps, steps[1:], strict=False):
        made = "".join(part.decode() for part in tokenizer.merges[rank]).replace(" ", "␣")
        assert made in after
        assert len(after) == len(before) - 1
    # Filled is the token that the row made.
    white = [label for label in ax.texts if label.get_color() == "white"]
    for rank, label, row in zip(ranks, white, written[2:], strict=True):
        pair = tokenizer.merges[rank]
        assert label.get_text() == b"".join(pair).decode().replace(" ", "␣")
        (number,) = (text for text in ax.texts if text.get_text() == row[0])
        assert label.get_position()[1] == number.get_position()[1]
        assert same_color(number.get_color(), plots.INK)


def test_merge_ladder_fills_one_token_a_merge_and_sets_it_bold() -> None:
    ax = plots.merge_ladder(TOKENIZER, "lower")
    n_merges = len(TOKENIZER.merge_steps("lower")) - 1
    assert len(filled(ax)) == n_merges
    bold = [label for label in ax.texts if label.get_color() == "white"]
    assert len(bold) == n_merges
    assert {label.get_fontfamily()[0] for label in bold} == {"Text to Vectors Semibold"}


def test_merge_ladder_writes_bytes_that_are_no_text_in_hexadecimal() -> None:
    written = rows(plots.merge_ladder(gpt2(), "👍"))
    assert written[1] == ["bytes", "F0", "9F", "91", "8D"]
    assert written[-1][1:] == ["F0 9F 91", "8D"]
    assert rows(plots.merge_ladder(gpt2(), b"\n"))[1:] == [["bytes", "0A"]]


def test_merge_ladder_keeps_each_byte_in_its_column() -> None:
    ax = plots.merge_ladder(gpt2(), "unbelievability")
    check_readable(ax)
    rows = rows_of_boxes(ax)
    left, right = rows[0][0][0], rows[0][-1][1]
    cell = (right - left) / 15
    assert 0.3 < cell < 0.42
    assert right <= plots.WIDTH
    for row, step in zip(rows, gpt2().merge_steps("unbelievability"), strict=True):
        x = left
        for (start, end), token in zip(row, step, strict=True):
            assert (start, end) == pytest.approx((x, x + cell * len(token)))
            x = end
    # Names of rows end left of the boxes.
    names = [label for label in ax.texts if label.get_ha() == "right"]
    assert [label.get_text() for label in names[:2]] == ["rank", "bytes"]
    assert len(names) == 1 + len(rows)
    assert {label.get_position()[0] for label in names} == {names[0].get_position()[0]}
    assert left - 0.2 < names[0].get_position()[0] < left
    assert [same_color(label.get_color(), plots.MUTED) for label in names[:3]] == [
        True,
        True,
        False,
    ]
    tops = [label.get_position()[1] for label in names]
    assert tops == sorted(tops, reverse=True)


@pytest.mark.parametrize("draw", [plots.merge_ladder, plots.derivation_tree])
def test_tokens_stand_inside_their_boxes_in_the_colour_of_their_kind(draw: Any) -> None:
    ax = draw(TOKENIZER, " slow")
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    for box in boxes:
        (label,) = (text for text in ax.texts if is_centred(text, box))
        is_byte = len(label.get_text()) == 1
        color = plots.BYTE if is_byte else plots.TOKEN
        assert same_color(box.get_edgecolor(), color)
        full = box in filled(ax)
        assert same_color(box.get_facecolor(), tint(color, 1 if full else 0.1))
        assert same_color(label.get_color(), "white" if full else plots.INK)
        assert (label.get_fontfamily() == BOLD) == full
        inner, outer = label.get_window_extent(), box.get_window_extent()
        assert outer.x0 <= inner.x0
        assert inner.x1 <= outer.x1


@pytest.mark.parametrize(("draw", "most"), [(plots.merge_ladder, 20), (plots.derivation_tree, 14)])
def test_the_longest_word_fits(draw: Any, most: int) -> None:
    ax = draw(TOKENIZER, "w" * most)
    check_readable(ax)
    boxes = [patch.get_path().get_extents() for patch in ax.patches]
    assert len(boxes) == most
    assert min(box.x0 for box in boxes) > 0
    assert max(box.x1 for box in boxes) < plots.WIDTH
    for left, right in pairwise(boxes):
        assert left.x1 < right.x0


@pytest.mark.parametrize("word", ["lower", " lowest", "slow", "x"])
def test_derivation_tree_has_a_node_for_each_byte_and_each_merge(word: str) -> None:
    ax = plots.derivation_tree(TOKENIZER, word)
    steps = TOKENIZER.merge_steps(word)
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == len(word) + len(steps) - 1
    assert len(ax.lines) == 2 * (len(steps) - 1)
    white = [label.get_text() for label in ax.texts if label.get_color() == "white"]
    roots = [token.decode().replace(" ", "␣") for token in steps[-1]]
    assert sorted(white) == sorted(roots)


def test_derivation_tree_stands_above_its_parts() -> None:
    ax = plots.derivation_tree(TOKENIZER, "slow")
    where = {label.get_text(): label.get_position() for label in ax.texts}
    assert where["low"][1] > where["lo"][1] > where["w"][1] == where["l"][1]
    assert where["l"][0] < where["lo"][0] < where["o"][0]


@pytest.mark.parametrize("word", ["lower", " lowest"])
def test_derivation_tree_joins_each_token_to_its_two_parts(word: str) -> None:
    ax = plots.derivation_tree(TOKENIZER, word)
    where: dict[tuple[float, float], str] = {}
    for label in ax.texts:
        x, y = label.get_position()
        where[round(x, 6), round(y, 6)] = label.get_text()
    made = [
        (next(a + b for a, b in pairwise(before) if a + b not in before and a + b in after))
        for before, after in pairwise(TOKENIZER.merge_steps(word))
    ]
    joins: dict[str, list[str]] = {}
    for line in ax.lines:
        (x, y), (x_part, y_part) = line.get_xydata().round(6).tolist()
        assert y > y_part
        joins.setdefault(where[x, y], []).append(where[x_part, y_part])
        assert line.get_zorder() < 0.5  # behind the boxes and what the ranks stand on
    assert {whole: "".join(parts) for whole, parts in joins.items()} == {
        token.decode().replace(" ", "␣"): token.decode().replace(" ", "␣") for token in made
    }
    assert all(len(parts) == 2 for parts in joins.values())


def test_what_is_no_printable_text_is_written_in_hexadecimal_in_a_tree() -> None:
    shown = texts(plots.derivation_tree(gpt2(), "👍"))
    assert shown[:4] == ["F0", "9F", "91", "8D"]
    assert "F0 9F 91" in shown


def test_tokens_per_merge_draws_one_line_a_text_and_says_its_ends() -> None:
    story = "low lower lowest slow slowly " * 40
    samples = {"first": story, "second": "low lows", "third": "x", "fourth": "slow"}
    ax = plots.tokens_per_merge(TOKENIZER, samples)
    n = len(TOKENIZER.merges)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("merges", "tokens")
    for line in ax.lines:
        assert list(line.get_xdata()) == list(range(n + 1))
        assert same_color(line.get_color(), plots.TOKEN)
        assert line.get_linewidth() > 1.5
    legend = ax.get_legend()
    assert legend is not None
    assert [label.get_text() for label in legend.get_texts()] == [
        f"{name}: {len(text):,} to {len(TOKENIZER.encode(text)):,}"
        for name, text in samples.items()
    ]
    patterns = [str(line.get_linestyle()) for line in ax.lines]
    dashes = [line._dash_pattern for line in ax.lines]
    assert dashes[0] == dashes[3]
    assert dashes[0] != dashes[1] != dashes[2] != dashes[0]
    assert patterns[0] == "-"
    assert "1,160" in legend.get_texts()[0].get_text()
    assert ax.get_xlim()[0] == ax.get_ylim()[0] == 0
    assert n < ax.get_xlim()[1] < 1.1 * n
    assert len(story) < ax.get_ylim()[1] < 1.1 * len(story)
    for axis in (ax.xaxis, ax.yaxis):
        assert axis.get_major_formatter()(50000.4, 0) == "50,000"


def test_tokens_per_merge_takes_about_fifty_sizes_more_of_the_small_ones() -> None:
    merges = [(bytes([left]), bytes([right])) for left in range(20) for right in range(20)]
    ax = plots.tokens_per_merge(BPETokenizer(merges), {"text": "low"})
    sizes = [int(size) for size in ax.lines[0].get_xdata()]
    assert sizes == sorted({round(400 * (i / 50) ** 1.5) for i in range(51)})
    assert (sizes[:4], sizes[-2:], len(sizes)) == ([0, 1, 3, 6], [388, 400], 51)


def test_tokens_per_merge_splits_as_the_tokenizer_does() -> None:
    halves = BPETokenizer([(b"a", b"b")], pattern="a|b")
    assert list(plots.tokens_per_merge(halves, {"ab": "abab"}).lines[0].get_ydata()) == [4, 4]


def test_tokens_per_merge_counts_with_the_first_merges_only() -> None:
    text = "low lower lowest slow slowly"
    ax = plots.tokens_per_merge(TOKENIZER, {"learned": text, "other": "low lows"})
    assert len(ax.lines) == 2
    for line, sample in zip(ax.lines, [text, "low lows"], strict=True):
        for size, count in zip(line.get_xdata(), line.get_ydata(), strict=True):
            shorter = BPETokenizer(TOKENIZER.merges[: int(size)])
            assert count == len(shorter.encode(sample))
        assert line.get_xdata()[-1] == len(TOKENIZER.merges)
    assert len({str(line.get_linestyle()) for line in ax.lines}) == 2
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_texts()[0].get_text().startswith("learned: 28 to ")


def test_byte_alphabet_has_a_cell_for_each_byte_in_its_place(alphabet: Axes) -> None:
    cells = [p for p in alphabet.patches if isinstance(p, Rectangle)][2:]
    characters = texts(alphabet)[2 + 2 * 16 :]
    assert len(cells) == len(characters) == 256
    assert characters == [BYTE_TO_UNICODE[byte] for byte in range(256)]
    for byte in range(256):
        column = round((cells[byte].get_x() - cells[0].get_x()) / cells[0].get_width())
        row = round((cells[0].get_y() - cells[byte].get_y()) / cells[0].get_height())
        assert (row, column) == divmod(byte, 16)
        is_open = same_color(cells[byte].get_facecolor(), "white")
        assert is_open == (BYTE_TO_UNICODE[byte] == chr(byte))


def test_byte_alphabet_names_rows_columns_and_the_two_kinds(alphabet: Axes) -> None:
    swatches, cells = alphabet.patches[:2], alphabet.patches[2:]
    legend, names, characters = alphabet.texts[:2], alphabet.texts[2:34], alphabet.texts[34:]
    assert [label.get_text() for label in legend] == ["as itself: 188", "another character: 68"]
    for swatch, label, color in zip(swatches, legend, ("white", plots.BYTE), strict=True):
        assert isinstance(swatch, Rectangle)
        assert same_color(swatch.get_facecolor(), color)
        x, y = label.get_position()
        right = swatch.get_x() + swatch.get_width()
        assert right < x < right + 0.2
        assert y == pytest.approx(swatch.get_center()[1])
    assert legend[0].get_window_extent().x1 < swatches[1].get_window_extent().x0
    assert [name.get_text() for name in names] == [d for c in "0123456789ABCDEF" for d in (c, c)]
    for i, (column, row) in enumerate(zip(names[::2], names[1::2], strict=True)):
        above, beside = cells[i], cells[16 * i]
        assert isinstance(above, Rectangle)
        assert isinstance(beside, Rectangle)
        x, y = column.get_position()
        top = above.get_y() + above.get_height()
        assert x == pytest.approx(above.get_center()[0])
        assert top < y < top + 0.3
        x, y = row.get_position()
        assert y == pytest.approx(beside.get_center()[1])
        assert beside.get_x() - 0.3 < x < beside.get_x() - 0.1
        for name in (column, row):
            assert name.get_fontfamily() == MONO
    assert swatches[0].get_window_extent().y0 > names[0].get_window_extent().y1
    for label, cell in zip(characters, cells, strict=True):
        assert label.get_position() == pytest.approx(cell.get_center())  # type: ignore[attr-defined]
        is_open = same_color(cell.get_facecolor(), "white")
        assert same_color(label.get_color(), plots.INK if is_open else "white")
        assert same_color(cell.get_edgecolor(), plots.MUTED)
    check_readable(alphabet)


def test_byte_alphabet_sets_each_stand_in_as_one_glyph(alphabet: Axes) -> None:
    for label in alphabet.texts[2 + 2 * 16 :]:
        bundled = label.get_text() < "\u0100"
        assert label.get_fontfamily() == (SANS if bundled else LATIN_EXTENDED)


def test_id_ranges_add_up() -> None:
    written = texts(plots.id_ranges(gpt2()))
    assert written == [
        *("0 … 255", "256 bytes", "!", "…", "Ń"),
        *("256 … 50,255", "50,000 merges", "Ġt", "…", "Ġgazed"),
        *("50,256", "1 special", "<|endoftext|>"),
    ]
    assert texts(plots.id_ranges(BPETokenizer([])))[:2] == ["0 … 255", "256 bytes"]


def test_id_ranges_of_one_merge_and_of_two_special_tokens() -> None:
    one = BPETokenizer([(b" ", b"t")], special_tokens=["<|a|>", "<|b|>"])
    assert texts(plots.id_ranges(one))[5:] == [
        *("256", "1 merge", "Ġt"),
        *("257 … 258", "2 special", "<|a|>", "…", "<|b|>"),
    ]
