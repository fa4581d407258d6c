from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from companion import plots
from companion.bpe import gpt2
from companion.corpus import SENTENCE
from companion.windows import SlidingWindows, pad_batch

IDS = gpt2().encode(SENTENCE)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    mpl.use("agg")
    yield
    plt.close("all")


def texts(ax: plt.Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_window_bricks_draws_every_input_and_target_in_the_column_of_its_place() -> None:
    windows = SlidingWindows(IDS, context_size=5, stride=2)
    ax = plots.window_bricks(windows, gpt2())
    columns = {}
    for text in ax.texts:
        if text.get_text().isdigit():
            x, y = text.get_position()
            columns.setdefault(round(y, 3), []).append((round(x, 3), int(text.get_text())))
    rows = [sorted(columns[y]) for y in sorted(columns, reverse=True)]
    expected = [IDS]
    for inputs, targets in windows:
        expected += [inputs.tolist(), targets.tolist()]
    assert [[token_id for _, token_id in row] for row in rows] == expected
    place = dict(rows[0])  # where each id of the sequence stands; they are all different
    for row in rows[1:]:
        assert all(place[x] == token_id for x, token_id in row)
    assert [f"window {i}" for i in range(3)] == [t for t in texts(ax) if t.startswith("window")]


def test_window_coverage_draws_how_often_each_place_is_a_target() -> None:
    settings = [SlidingWindows(range(33), 8, stride) for stride in (2, 8, 9)]
    ax = plots.window_coverage(settings)
    labels = texts(ax)
    for windows in settings:
        counts = [0] * 33
        for _, targets in windows:
            for place in targets.tolist():
                counts[place] += 1
        i = labels.index(f"stride {windows.stride}")
        assert labels[i + 1 : i + 34] == [str(count) for count in counts]


def test_padded_batch_draws_ids_and_mask() -> None:
    batch = pad_batch([[5, 6, 7], [8]], pad_id=50256)
    labels = [label for label in texts(plots.padded_batch(batch)) if label.isdigit()]
    assert labels == ["5", "6", "7", "8", "50256", "50256", "1", "1", "1", "1", "0", "0"]


@pytest.mark.parametrize("name", ["window_bricks", "window_coverage", "padded_batch"])
def test_a_figure_is_drawn_in_the_given_axes(name: str) -> None:
    windows = SlidingWindows(IDS, context_size=5, stride=2)
    arguments = {
        "window_bricks": windows,
        "window_coverage": [windows],
        "padded_batch": pad_batch([[1, 2], [3]]),
    }
    mine = plt.figure().add_subplot()
    assert getattr(plots, name)(arguments[name], ax=mine) is mine
    assert getattr(plots, name)(arguments[name]) is not mine
