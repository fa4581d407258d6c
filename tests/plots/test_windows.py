"""The figures of the chapter `windows` show what the windows hold."""

from itertools import chain

import matplotlib as mpl
import pytest

mpl.use("agg")

from figure_checks import check_readable
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import Rectangle

from companion import plots
from companion.bpe import gpt2
from companion.plots._drawing import tint
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
        text: sum(to_rgb(patch.get_facecolor()))
        for (text, *_), patch in zip(cells(ax), ax.patches, strict=True)
    }
    assert [text for text, _ in sorted(shades.items(), key=lambda item: -item[1])] == [*"01234"]


def test_coverage_has_one_scale_of_shades() -> None:
    ax = plots.window_coverage([SlidingWindows(range(9), 4, stride) for stride in (1, 4)])
    for (text, *_), patch in zip(cells(ax), ax.patches, strict=True):
        shade = tint(plots.TOKEN, 0.08 + 0.5 * int(text) / 4) if text != "0" else (1, 1, 1)
        assert patch.get_facecolor()[:3] == pytest.approx(shade)


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
