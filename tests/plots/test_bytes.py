"""The figures of the chapter `bytes` show what UTF-8 says."""

import pytest
from figure_checks import cells, grid, is_filled, reading, texts

from companion import plots

MARKS = {"A": "0", "é": "110 10", "请": "1110 10 10", "👍": "11110 10 10 10"}
"""The bits of each byte that say what kind of byte it is."""


def test_utf8_layout_writes_each_bit_and_fills_those_that_mark_a_byte() -> None:
    ax = plots.utf8_layout("".join(MARKS))
    explained, *written = reading(ax)
    assert explained == ["1", "marks the kind of byte", "1", "carries the number"]
    swatches, *rows = grid(ax)
    assert [is_filled(swatch) for swatch in swatches] == [True, False]
    names, values = written[::2], written[1::2]
    for i, (character, marks) in enumerate(MARKS.items()):
        data = character.encode()
        bits = "".join(f"{byte:08b}" for byte in data)
        assert names[i] == [character, *bits]
        assert values[i] == [f"U+{ord(character):04X}", *(f"{byte:02X}" for byte in data)]
        dark = [bit if is_filled(cell) else " " for bit, cell in zip(bits, rows[i], strict=True)]
        assert "".join(dark).split() == marks.split()
        carried = [bit for bit, cell in zip(bits, rows[i], strict=True) if not is_filled(cell)]
        assert int("".join(carried), 2) == ord(character)


def test_utf8_layout_marks_differ_by_weight_too() -> None:
    labels = [label for label in plots.utf8_layout("é").texts if label.get_text() in "01"]
    weights = {label.get_color(): label.get_fontfamily()[0] for label in labels}
    assert len(set(weights.values())) == len(weights) == 2


SAMPLES = {
    "Thai": "กขค", "emoji": "🙂", "family": "👨\u200d👩\u200d👧\u200d👦", "English": "cat",
    "Chinese": "四只", "French": "été",
}  # fmt: skip


def test_bytes_per_character_draws_and_writes_the_ratios_and_keeps_ties_in_order() -> None:
    ax = plots.bytes_per_character(SAMPLES)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["English", "French", "Thai", "Chinese", "family", "emoji"]
    written = texts(ax)[3:]
    for i, (name, bar) in enumerate(zip(names, cells(ax), strict=True)):
        n, size = len(SAMPLES[name]), len(SAMPLES[name].encode())
        assert bar.get_width() == pytest.approx(size / n)
        assert bar.get_center()[1] == pytest.approx(i)
        assert written[3 * i : 3 * i + 3] == [f"{size / n:.2f}", str(n), str(size)]
        assert {label.get_position()[1] for label in ax.texts[3 * i + 3 : 3 * i + 6]} == {i}
