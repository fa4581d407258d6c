"""The figures of the chapter `windows` show what the windows hold."""

from itertools import chain

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
from figure_checks import check_readable
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from companion import plots
from companion.bpe import gpt2
from companion.plots._drawing import GRID, tint
from companion.story import SENTENCE
from companion.windows import SlidingWindows, pad_batch


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[tuple[str, float, float, bool]]:
    """The cells in the order drawn: their text, place, and whether they are filled."""
    places = {
        (round(x, 6), round(y, 6)): label.get_text()
        for label in ax.texts
        for x, y in [label.get_position()]
    }
    found = []
    for patch in ax.patches:
        assert isinstance(patch, Rectangle)
        x, y = patch.get_center()
        filled = not same_color(patch.get_facecolor(), "white")
        found.append((places[round(x, 6), round(y, 6)], float(x), float(y), filled))
    return found


@pytest.mark.parametrize("stride", [1, 2, 5, 7])
def test_bricks_are_the_windows_in_the_columns_of_their_places(stride: int) -> None:
    ids = gpt2().encode(SENTENCE)
    windows = SlidingWindows(ids, 5, stride)
    ax = plots.window_bricks(windows, gpt2())
    written = texts(ax)
    assert written[:10] == [gpt2().decode([i]).strip() for i in ids]
    assert written[10:21] == ["ids", *map(str, ids)]
    columns = [label.get_position()[0] for label in ax.texts[11:21]]
    drawn = cells(ax)
    assert len(drawn) == 10 * len(windows)
    for start, (inputs, targets) in zip(windows.starts, windows, strict=True):
        of_window, drawn = drawn[:10], drawn[10:]
        assert [text for text, *_ in of_window] == [
            str(i) for i in chain(inputs.tolist(), targets.tolist())
        ]
        assert [filled for *_, filled in of_window] == [True] * 5 + [False] * 5
        assert [x for _, x, _, _ in of_window] == pytest.approx(
            [*columns[start : start + 5], *columns[start + 1 : start + 6]]
        )
        heights = [y for _, _, y, _ in of_window]
        assert len(set(heights[:5])) == len(set(heights[5:])) == 1
        assert heights[0] > heights[5]


def test_open_bricks_have_a_dashed_edge_too() -> None:
    ax = plots.window_bricks(SlidingWindows(range(4), 3))
    styles = [patch.get_linestyle() for patch in ax.patches]
    assert styles[:3] == ["solid"] * 3
    assert "solid" not in styles[3:]


def test_bricks_name_windows_inputs_and_targets() -> None:
    written = texts(plots.window_bricks(SlidingWindows(range(11), 4, 2)))
    assert [text for text in written if text.startswith("window")] == [
        f"window {i}" for i in range(4)
    ]
    assert [written.count(name) for name in ("inputs", "targets")] == [1, 1]


def test_bricks_set_names_and_tokens_beside_what_they_name() -> None:
    tokenizer = gpt2()
    windows = SlidingWindows(tokenizer.encode(SENTENCE), 5, 2)
    ax = plots.window_bricks(windows, tokenizer)
    tokens, name_of_ids, ids, rest = ax.texts[:10], ax.texts[10], ax.texts[11:21], ax.texts[21:]
    for token, label in zip(tokens, ids, strict=True):
        assert token.get_position()[0] == label.get_position()[0]
        assert token.get_position()[1] == pytest.approx(label.get_position()[1] + 0.28)
        assert {(part.get_ha(), part.get_va()) for part in (token, label)} == {
            ("center", "center_baseline")
        }
    assert name_of_ids.get_position() == (0, ids[0].get_position()[1])
    assert name_of_ids.get_va() == "center_baseline"
    columns = [label.get_position()[0] for label in ids]
    width = columns[1] - columns[0]
    assert columns == pytest.approx([0.82 + (i + 0.5) * width for i in range(10)])
    assert width == pytest.approx((plots.WIDTH - 0.84) / 10)
    # The name of a window stands between its inputs and its targets.
    drawn, levels = cells(ax), [ids[0].get_position()[1]]
    names = [label for label in rest if label.get_text().startswith("window")]
    for i, name in enumerate(names):
        inputs, targets = drawn[10 * i][2], drawn[10 * i + 5][2]
        assert name.get_position() == pytest.approx((0, (inputs + targets) / 2))
        assert name.get_va() == "center_baseline"
        assert inputs - targets > 0.28
        levels += [inputs, targets]
    assert levels == sorted(levels, reverse=True)
    # What the cells of the first window are is written beside them.
    for name, last in (("inputs", 4), ("targets", 9)):
        (label,) = (label for label in rest if label.get_text() == name)
        _, x, y, _ = drawn[last]
        assert label.get_position() == pytest.approx((x + width / 2 + 0.08, y))
        assert (label.get_ha(), label.get_va()) == ("left", "center_baseline")
    assert ax.texts[10].get_position()[1] < ax.get_ylim()[1] < tokens[0].get_position()[1] + 0.2
    check_readable(ax)


def test_bricks_of_few_ids_have_a_common_width() -> None:
    ax = plots.window_bricks(SlidingWindows(range(4), 2))
    columns = [label.get_position()[0] for label in ax.texts[1:5]]
    assert columns == pytest.approx([0.82 + 0.56 * (i + 0.5) for i in range(4)])
    assert ax.texts[1].get_position()[1] < ax.get_ylim()[1] < ax.texts[1].get_position()[1] + 0.25
    check_readable(ax)


@pytest.mark.parametrize(
    ("context_size", "named"), [(8, ["inputs", "targets"]), (9, ["inputs"]), (10, [])]
)
def test_bricks_name_inputs_and_targets_where_there_is_room(
    context_size: int, named: list[str]
) -> None:
    ax = plots.window_bricks(SlidingWindows(range(11), context_size))
    assert [text for text in texts(ax) if text.endswith("puts") or text == "targets"] == named
    check_readable(ax)


def test_bricks_stay_inside_the_figure() -> None:
    ax = plots.window_bricks(SlidingWindows(range(11), 10))
    assert max(patch.get_x() + patch.get_width() for patch in ax.patches) <= plots.WIDTH
    assert min(y for _, _, y, _ in cells(ax)) > 0.1


def test_too_many_ids_for_the_bricks() -> None:
    message = "12 ids do not fit into a row of 11; draw the windows of a part"
    with pytest.raises(ValueError, match=f"^{message}$"):
        plots.window_bricks(SlidingWindows(range(12), 4))


@pytest.mark.parametrize(("n", "context_size"), [(33, 8), (10, 3), (5, 4)])
def test_coverage_counts_targets(n: int, context_size: int) -> None:
    settings = [SlidingWindows(range(n), context_size, stride) for stride in (1, 2, 3, 9)]
    ax = plots.window_coverage(settings)
    drawn = cells(ax)
    for windows in settings:
        targets = [i for _, window in windows for i in window.tolist()]
        of_row, drawn = drawn[:n], drawn[n:]
        assert [int(text) for text, *_ in of_row] == [targets.count(i) for i in range(n)]
        assert [filled for *_, filled in of_row] == [i in targets for i in range(n)]
    assert not drawn
    assert [text for text in texts(ax) if text.startswith("stride")] == [
        f"stride {stride}" for stride in (1, 2, 3, 9)
    ]


def test_coverage_darkens_with_the_count() -> None:
    ax = plots.window_coverage([SlidingWindows(range(9), 4, 1)])
    shades = {
        text: sum(patch.get_facecolor()[:3])
        for (text, *_), patch in zip(cells(ax), ax.patches, strict=True)
    }
    assert [text for text, _ in sorted(shades.items(), key=lambda item: -item[1])] == [*"01234"]


def test_coverage_names_its_rows_and_every_fourth_place() -> None:
    settings = [SlidingWindows(range(33), 8, stride) for stride in (1, 8)]
    ax = plots.window_coverage(settings)
    drawn = cells(ax)
    of_first, of_second = drawn[:33], drawn[33:]
    columns = [x for _, x, _, _ in of_first]
    width = (plots.WIDTH - 0.88) / 33
    assert columns == pytest.approx([0.86 + width * (i + 0.5) for i in range(33)])
    assert columns == [x for _, x, _, _ in of_second]
    for row, of_row in enumerate((of_first, of_second)):
        (y,) = {y for _, _, y, _ in of_row}
        (name,) = (label for label in ax.texts if label.get_text() == f"stride {(1, 8)[row]}")
        assert name.get_position() == pytest.approx((0, y))
        assert name.get_va() == "center_baseline"
    places = ax.texts[-10:]
    assert [label.get_text() for label in places] == ["place", *map(str, range(0, 33, 4))]
    (y,) = {label.get_position()[1] for label in places}
    assert 0.1 < y < of_second[0][2] - 0.3 < of_first[0][2] - 0.6
    assert places[0].get_position()[0] == 0
    for i, label in enumerate(places[1:]):
        assert label.get_position()[0] == pytest.approx(columns[4 * i])
        assert label.get_ha() == "center"
    for patch, label in zip(ax.patches, ax.texts[1:34], strict=False):
        assert (label.get_ha(), label.get_va()) == ("center", "center_baseline")
        assert isinstance(patch, Rectangle)
        assert patch.get_width() == pytest.approx(width)
        edge = plots.TOKEN if label.get_text() != "0" else GRID
        assert same_color(patch.get_edgecolor(), edge)
    assert ax.get_ylim()[1] - 0.15 < of_first[0][2] + 0.17 < ax.get_ylim()[1]
    check_readable(ax)


def test_coverage_has_one_scale_of_shades() -> None:
    ax = plots.window_coverage([SlidingWindows(range(9), 4, stride) for stride in (1, 4)])
    for (text, *_), patch in zip(cells(ax), ax.patches, strict=True):
        shade = tint(plots.TOKEN, 0.08 + 0.5 * int(text) / 4) if text != "0" else (1, 1, 1)
        assert patch.get_facecolor()[:3] == pytest.approx(shade)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([], "the windows must be of sequences of one length, not of 0"),
        ([9, 10], "the windows must be of sequences of one length, not of 2"),
        ([34], "34 ids do not fit into a row of 33; draw a shorter sequence"),
    ],
)
def test_coverage_of_what_cannot_be_drawn(lengths: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        plots.window_coverage([SlidingWindows(range(n), 4) for n in lengths])
    assert str(caught.value) == message


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_padded_batch_shows_ids_and_mask(side: str) -> None:
    batch = pad_batch([[7454, 2402, 257], [640], []], pad_id=50256, side=side)  # type: ignore[arg-type]
    drawn = cells(plots.padded_batch(batch))
    flat = batch.attention_mask.flatten().tolist()
    assert [int(text) for text, *_ in drawn[:9]] == batch.ids.flatten().tolist()
    assert [int(text) for text, *_ in drawn[9:]] == flat
    for part in (drawn[:9], drawn[9:]):
        assert [filled for *_, filled in part] == [kept == 1 for kept in flat]
    # The mask of an id stands below it.
    for (_, x, y, _), (_, x_mask, y_mask, _) in zip(drawn[:9], drawn[9:], strict=True):
        assert x == x_mask
        assert y > y_mask


def test_a_padded_batch_names_its_two_grids() -> None:
    ax = plots.padded_batch(pad_batch([[7454, 2402, 257], [640]], pad_id=50256))
    drawn = cells(ax)
    columns = [0.86 + 0.56 * (i + 0.5) for i in range(3)]
    assert [x for _, x, _, _ in drawn] == pytest.approx(columns * 4)
    levels = [y for _, _, y, _ in drawn[::3]]
    assert [levels[0] - y for y in levels] == pytest.approx([0, 0.34, 0.92, 1.26])
    for name, (above, below) in (("ids", levels[:2]), ("attention\nmask", levels[2:])):
        (label,) = (label for label in ax.texts if label.get_text() == name)
        assert label.get_position() == pytest.approx((0, (above + below) / 2))
        assert label.get_va() == "center"
    assert levels[-1] > 0.13
    assert levels[0] + 0.13 < ax.get_ylim()[1] < levels[0] + 0.3
    check_readable(ax)


def test_a_padded_batch_may_fill_the_row_or_be_empty() -> None:
    ax = plots.padded_batch(pad_batch([range(11)]))
    right = [patch.get_x() + patch.get_width() for patch in ax.patches]  # type: ignore[attr-defined]
    assert plots.WIDTH - 0.1 < max(right) < plots.WIDTH
    check_readable(ax)
    assert texts(plots.padded_batch(pad_batch([[], []]))) == ["ids", "attention\nmask"]


def test_a_padded_batch_of_too_many_columns() -> None:
    message = "12 columns do not fit into a row of 11; draw a part of the batch"
    with pytest.raises(ValueError, match=f"^{message}$"):
        plots.padded_batch(pad_batch([range(12)]))


def test_figures_draw_in_given_axes() -> None:
    windows = SlidingWindows(range(8), 3)
    ax = plt.figure().add_subplot()
    assert plots.window_bricks(windows, ax=ax) is ax
    assert plots.window_coverage([windows], ax) is ax
    assert plots.padded_batch(pad_batch([[1]]), ax) is ax
    assert plots.window_bricks(windows) is not ax
