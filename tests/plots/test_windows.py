"""The figures of the chapter `windows` show what the windows hold."""

import pytest
from figure_checks import cells, grid, is_filled, reading, strengths, texts

from companion import plots
from companion.bpe import gpt2
from companion.story import SENTENCE
from companion.windows import SlidingWindows, pad_batch


@pytest.mark.parametrize("stride", [1, 2, 5, 7])
def test_bricks_are_the_windows_in_the_columns_of_their_places(stride: int) -> None:
    ids = gpt2().encode(SENTENCE)
    windows = SlidingWindows(ids, 5, stride)
    ax = plots.window_bricks(windows, gpt2())
    tokens, header, *_ = reading(ax)
    assert tokens == [gpt2().decode([i]).strip() for i in ids]
    assert header == ["ids", *map(str, ids)]
    columns = [label.get_position()[0] for label in ax.texts[11:21]]
    written = {label.get_position(): label.get_text() for label in ax.texts}
    rows = grid(ax)
    assert len(rows) == 2 * len(windows)
    parts = [(start + shift, part.tolist(), shift == 0)
             for start, pair in zip(windows.starts, windows, strict=True)
             for shift, part in enumerate(pair)]  # fmt: skip
    for row, (first, part, are_inputs) in zip(rows, parts, strict=True):
        middles = [tuple(cell.get_center()) for cell in row]
        assert [x for x, _ in middles] == pytest.approx(columns[first : first + 5])
        found = [next(t for at, t in written.items() if at == pytest.approx(m)) for m in middles]
        assert found == [*map(str, part)]
        for cell in row:
            assert is_filled(cell) == are_inputs
            assert (cell.get_linestyle() == "solid") == are_inputs  # not told by colour alone
    names = [text for text in texts(ax) if text.startswith("window")]
    assert names == [f"window {i}" for i in range(len(windows))]


@pytest.mark.parametrize(
    ("context_size", "named"), [(8, ["inputs", "targets"]), (9, ["inputs"]), (10, [])]
)
def test_bricks_name_inputs_and_targets_once_and_where_there_is_room(
    context_size: int, named: list[str]
) -> None:
    ax = plots.window_bricks(SlidingWindows(range(11), context_size, 1))
    assert [text for text in texts(ax) if text in ("inputs", "targets")] == named


@pytest.mark.parametrize(("n", "context_size"), [(33, 8), (10, 3), (5, 4)])
def test_coverage_counts_targets_and_darkens_with_the_count_by_one_scale(
    n: int, context_size: int
) -> None:
    settings = [SlidingWindows(range(n), context_size, stride) for stride in (1, 2, 3, 9)]
    ax = plots.window_coverage(settings)
    counts = []
    for windows in settings:
        targets = [i for _, window in windows for i in window.tolist()]
        counts.append([targets.count(i) for i in range(n)])
    *rows, positions = reading(ax)
    assert rows == [
        [f"stride {windows.stride}", *map(str, row)]
        for windows, row in zip(settings, counts, strict=True)
    ]
    assert positions == ["position", *map(str, range(0, n, 4))]
    most = max(map(max, counts))
    for row, expected in zip(grid(ax), counts, strict=True):
        shares = [0.08 + 0.5 * count / most if count else 0 for count in expected]
        assert strengths(row, plots.TOKEN) == pytest.approx(shares)


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_padded_batch_shows_ids_and_mask(side: str) -> None:
    batch = pad_batch([[7454, 2402, 257], [640], []], pad_id=50256, side=side)  # type: ignore[arg-type]
    ax = plots.padded_batch(batch)
    drawn = [label.get_text() for label in ax.texts if label.get_text().isdigit()]
    mask = batch.attention_mask.flatten().tolist()
    assert drawn == [*map(str, batch.ids.flatten().tolist()), *map(str, mask)]
    assert [is_filled(cell) for cell in cells(ax)] == [kept == 1 for kept in mask] * 2
    # The mask of an id stands below it.
    for cell, below in zip(cells(ax)[:9], cells(ax)[9:], strict=True):
        assert cell.get_x() == below.get_x()
        assert cell.get_y() > below.get_y()
