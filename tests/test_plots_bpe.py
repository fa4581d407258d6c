"""The figures of the chapters `bpe` and `gpt2-tokenizer` show what the tokenizer does."""

from typing import Any

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion import plots
from companion.bpe import BYTE_TO_UNICODE, BPETokenizer, gpt2, train_bpe

TOKENIZER = train_bpe("low lower lowest slow", 262)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def rows(ax: Axes) -> list[list[str]]:
    """The labels of each row, from the top, from left to right."""
    found: dict[float, list[tuple[float, str]]] = {}
    for label in ax.texts:
        x, y = label.get_position()
        found.setdefault(round(y, 4), []).append((x, label.get_text()))
    return [[text for _, text in sorted(found[y])] for y in sorted(found, reverse=True)]


def filled(ax: Axes) -> list[FancyBboxPatch]:
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    return [box for box in boxes if same_color(box.get_facecolor(), box.get_edgecolor())]


@pytest.mark.parametrize("word", ["unbelievability", " unbelievability", "rabbits"])
def test_merge_ladder_writes_each_step_and_its_rank(word: str) -> None:
    tokenizer = gpt2()
    written = rows(plots.merge_ladder(tokenizer, word))
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


@pytest.mark.parametrize("draw", [plots.merge_ladder, plots.derivation_tree])
@pytest.mark.parametrize("word", ["", "a" * 21])
def test_a_word_must_fit(draw: Any, word: str) -> None:
    with pytest.raises(ValueError, match=rf"has {len(word)} bytes; the figure has room for 1 to"):
        draw(TOKENIZER, word)


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


def test_tokens_per_merge_without_merges_or_texts() -> None:
    ax = plots.tokens_per_merge(BPETokenizer([]), {"text": "low"})
    assert list(ax.lines[0].get_ydata()) == [3]
    with pytest.raises(ValueError, match="there is no text to draw"):
        plots.tokens_per_merge(TOKENIZER, {})


def test_byte_alphabet_has_a_cell_for_each_byte_in_its_place() -> None:
    ax = plots.byte_alphabet(BYTE_TO_UNICODE)
    cells = [p for p in ax.patches if isinstance(p, Rectangle)][2:]
    characters = texts(ax)[2 + 2 * 16 :]
    assert len(cells) == len(characters) == 256
    assert characters == [BYTE_TO_UNICODE[byte] for byte in range(256)]
    for byte in range(256):
        column = round((cells[byte].get_x() - cells[0].get_x()) / cells[0].get_width())
        row = round((cells[0].get_y() - cells[byte].get_y()) / cells[0].get_height())
        assert (row, column) == divmod(byte, 16)
        is_open = same_color(cells[byte].get_facecolor(), "white")
        assert is_open == (BYTE_TO_UNICODE[byte] == chr(byte))


def test_byte_alphabet_sets_each_stand_in_as_one_glyph() -> None:
    ax = plots.byte_alphabet(BYTE_TO_UNICODE)
    for label in ax.texts[2 + 2 * 16 :]:
        bundled = label.get_fontfamily()[0] != "DejaVu Sans"
        assert bundled == (label.get_text() < "\u0100")


def test_byte_alphabet_wants_all_bytes() -> None:
    with pytest.raises(ValueError, match="byte 7 has no character"):
        plots.byte_alphabet({byte: "x" for byte in range(256) if byte != 7})


def test_id_ranges_add_up() -> None:
    written = texts(plots.id_ranges(gpt2()))
    assert written == [
        *("0 … 255", "256 bytes", "!", "…", "Ń"),
        *("256 … 50,255", "50,000 merges", "Ġt", "…", "Ġgazed"),
        *("50,256", "1 special", "<|endoftext|>"),
    ]
    assert texts(plots.id_ranges(BPETokenizer([])))[:2] == ["0 … 255", "256 bytes"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plots.merge_ladder(TOKENIZER, "low", ax),
        lambda ax: plots.derivation_tree(TOKENIZER, "low", ax),
        lambda ax: plots.tokens_per_merge(TOKENIZER, {"a": "low"}, ax),
        lambda ax: plots.byte_alphabet(BYTE_TO_UNICODE, ax),
        lambda ax: plots.id_ranges(TOKENIZER, ax),
    ],
)
def test_given_axes_are_drawn_in(draw: Any) -> None:
    ax = plt.figure().add_subplot()
    assert draw(ax) is ax
