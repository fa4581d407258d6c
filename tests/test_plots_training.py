"""The figures of the chapter `training` show the tables and the losses that they are given."""

import matplotlib as mpl
import pytest

mpl.use("agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from companion import plots


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


RANDOM = np.random.default_rng(1)


# gradient_step

BEFORE = [[0.0, 1], [1, 0], [2, 0]]
AFTER = [[0.8, 1], [1, -0.2], [2, 0.4]]


def test_gradient_step_leads_an_arrow_from_each_row_to_its_new_place() -> None:
    ax = plots.gradient_step(BEFORE, AFTER, ["read", "wrong", "right"])
    arrows = [t for t in ax.texts if isinstance(t, Annotation) and t.arrow_patch is not None]
    assert [list(arrow.xyann) for arrow in arrows] == BEFORE
    assert [list(arrow.xy) for arrow in arrows] == AFTER
    assert texts(ax) == ["read", "wrong", "right"]


def test_gradient_step_fills_the_row_that_was_read_and_no_other() -> None:
    ax = plots.gradient_step(BEFORE, AFTER, ["read", "wrong", "right"])
    filled = [not same_color(line.get_markerfacecolor(), "white") for line in ax.lines]
    assert filled == [True, False, False]
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker()


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ([[0, 1, 2]], [[0, 1, 2]], ["three numbers"]),
        ([[0, 1]], [[0, 1]], ["a", "b"]),
        ([[0, 1]], [[0, 1], [1, 1]], ["a"]),
        (np.zeros((0, 2)), np.zeros((0, 2)), []),
    ],
)
def test_gradient_step_refuses_what_is_no_row_of_the_plane(
    before: object, after: object, names: list[str]
) -> None:
    with pytest.raises(ValueError, match="give a pair of numbers for each name"):
        plots.gradient_step(before, after, names)


# loss_curves

LOSSES = {"training": {0: 5.8, 10: 3.1, 20: 1.5}, "held out": {0: 5.8, 20: 5.1}}


def test_loss_curves_draws_each_curve_in_its_own_style_and_the_levels_last() -> None:
    ax = plots.loss_curves(LOSSES, {"alike": 5.85})
    for line, curve in zip(ax.lines, LOSSES.values(), strict=False):
        assert np.asarray(line.get_xydata()).tolist() == [[*point] for point in curve.items()]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert set(ax.lines[2].get_ydata()) == {5.85}
    assert texts(ax) == ["training", "held out", "alike"]


def test_loss_curves_begin_at_zero_and_leave_the_names_room_without_ticks() -> None:
    ax = plots.loss_curves(LOSSES)
    assert ax.get_ylim()[0] == 0
    assert ax.get_xlim()[1] > 20
    assert max(ax.get_xticks()) <= 20


@pytest.mark.parametrize("n", [0, 4])
def test_loss_curves_are_one_to_three(n: int) -> None:
    with pytest.raises(ValueError, match=f"^there are {n} curves; give one to 3$"):
        plots.loss_curves({str(i): {0: 1.0} for i in range(n)})


# rows_moved

COUNTS = [0, 0, 1, 1, 2, 8, 100]
MOVED = {"tied": [0.7, 0.8, 1, 1.1, 0.9, 0.8, 1], "untied": [0, 0, 0.3, 0.4, 0.5, 0.4, 0.3]}


def test_rows_moved_draws_a_dot_for_each_token_in_each_table() -> None:
    ax = plots.rows_moved(COUNTS, MOVED)
    tied, untied, limit = ax.lines
    assert list(tied.get_ydata()) == MOVED["tied"]
    assert list(untied.get_ydata()) == MOVED["untied"]
    assert not same_color(tied.get_markerfacecolor(), "white")
    assert same_color(untied.get_markerfacecolor(), "white")
    assert texts(ax) == ["tied", "untied"]
    x = np.asarray(tied.get_xdata())
    assert [x_ < limit.get_xdata()[0] for x_ in x] == [count == 0 for count in COUNTS]
    seen = x[np.array(COUNTS) > 0]
    assert np.abs(seen - np.log2([1, 1, 2, 8, 100])).max() < 0.2
    assert len(set(x)) == len(COUNTS)  # no dot hides another of the same count


def test_rows_moved_labels_the_counts() -> None:
    ax = plots.rows_moved(COUNTS, MOVED)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", *map(str, 2 ** np.arange(7))]


def test_rows_moved_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"'tied' has distances of shape \(2,\) for 7 tokens"):
        plots.rows_moved(COUNTS, {"tied": [1, 2]})
    with pytest.raises(ValueError, match=r"^there are 0 tables; give one or two$"):
        plots.rows_moved(COUNTS, {})


# nearest_rows

TABLES = {"before": RANDOM.normal(size=(20, 6)), "after": RANDOM.normal(size=(20, 6))}
NAMES = {i: f"t{i}" for i in range(20)}


def test_nearest_rows_are_those_of_the_highest_cosine() -> None:
    ax = plots.nearest_rows(TABLES, [4, 9], range(15), NAMES, k=3)
    expected = ["before", "after"]
    for query in (4, 9):
        expected.append(NAMES[query])
        for table in TABLES.values():
            by_hand = {i: cosine(table[query], table[i]) for i in range(15) if i != query}
            for i in sorted(by_hand, key=by_hand.__getitem__, reverse=True)[:3]:
                expected += [NAMES[i], f"{by_hand[i]:.2f}"]
    assert texts(ax) == expected


def test_nearest_rows_bars_are_as_long_as_the_cosines() -> None:
    table = np.array([[1.0, 0], [1, 0], [1, 1], [0, 1], [-1, 0.1]])
    ax = plots.nearest_rows({"one": table}, [0], range(5), NAMES, k=4)
    widths = [bar.get_width() for bar in ax.patches if isinstance(bar, Rectangle)]
    assert np.array(widths) / widths[0] == pytest.approx([1, np.sqrt(0.5), 0, 0])


def test_nearest_rows_refuses_what_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match=r"^there are 0 tables and 1 queries"):
        plots.nearest_rows({}, [1], range(9), NAMES)
    with pytest.raises(ValueError, match=r"give one or two tables and at least one query$"):
        plots.nearest_rows(TABLES, [], range(9), NAMES)
    with pytest.raises(ValueError, match=r"^there are 2 candidates for 3 neighbours; give more$"):
        plots.nearest_rows(TABLES, [1], range(3), NAMES, k=3)


def test_a_row_of_zeros_has_no_neighbours() -> None:
    with pytest.raises(ValueError, match=r"^row 1 of 2 is all zeros and has no direction"):
        plots.position_similarity({"padded": [[1.0, 2], [0, 0]]})


# row_map

GROUPS = {"small": {"t0": 0, "t1": 1}, "large": {"t5": 5}}


def marked(ax: Axes) -> dict[str, list[tuple[float, float]]]:
    """The points of each shape, without those that explain the shapes."""
    points: dict[str, list[tuple[float, float]]] = {}
    for line in ax.lines:
        x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
        if len(x) == 1 and y[0] > 0.3:
            points.setdefault(str(line.get_marker()), []).append((x[0], y[0]))
    return points


def test_row_map_gives_each_group_a_shape_and_each_other_row_a_dot() -> None:
    points = marked(plots.row_map(TABLES, GROUPS, range(12)))
    assert {shape: len(where) for shape, where in points.items()} == {"o": 4, "s": 2, ".": 18}


def test_row_map_keeps_the_distances_of_rows_that_lie_in_a_plane() -> None:
    plane = RANDOM.normal(size=(12, 2)) @ np.linalg.qr(RANDOM.normal(size=(6, 2)))[0].T
    ax = plots.row_map({"flat": plane}, {"all": {f"t{i}": i for i in range(12)}}, range(12))
    drawn = np.array(marked(ax)["o"])
    ratios = [
        np.linalg.norm(drawn[i] - drawn[j]) / np.linalg.norm(plane[i] - plane[j])
        for i in range(12)
        for j in range(i)
    ]
    assert ratios == pytest.approx([ratios[0]] * len(ratios))
    assert "flat: 100% of the variance" in texts(ax)


def test_row_map_states_the_share_of_the_variance() -> None:
    table = TABLES["before"][:12]
    values = np.linalg.eigvalsh(np.cov(table.T))
    share = values[-2:].sum() / values.sum()
    ax = plots.row_map({"before": table}, GROUPS, range(12))
    assert f"before: {share:.0%} of the variance" in texts(ax)


def test_row_map_does_not_hang_on_the_sign_of_a_component() -> None:
    first, second = np.array([0.0, 0, 3, 0]), np.array([0.0, 2, 0, 0])
    table = np.array([first, -first, second, -second, 0 * first])
    points = [
        marked(plots.row_map({"t": rows}, {"g": {"a": 0, "b": 2}}, order))["o"]
        for rows, order in [(table, range(5)), (table, [4, 3, 2, 1, 0])]
    ]
    assert np.array(points[0]) == pytest.approx(np.array(points[1]))


def test_row_map_names_all_marked_rows_even_where_they_crowd() -> None:
    table = np.concatenate([RANDOM.normal(size=(9, 6)) * 0.01, [[1, 0, 0, 0, 0, 0], [-1] * 6]])
    names = {f"token {i}": i for i in range(9)}
    ax = plots.row_map({"crowd": table}, {"group": names}, range(11))
    assert set(names) <= set(texts(ax))


@pytest.mark.parametrize(
    ("tables", "groups", "candidates"),
    [
        ({}, GROUPS, range(9)),
        (TABLES, {}, range(9)),
        (TABLES, {str(i): {"t0": 0} for i in range(5)}, range(9)),
        (TABLES, GROUPS, range(2)),
    ],
)
def test_row_map_refuses_too_little_or_too_much(
    tables: dict[str, object], groups: dict[str, dict[str, int]], candidates: range
) -> None:
    with pytest.raises(ValueError, match="give at least one table, one to 4 groups and three"):
        plots.row_map(tables, groups, candidates)


# position_similarity


def test_position_similarity_draws_the_cosines() -> None:
    ax = plots.position_similarity(TABLES)
    squares = ax.images[:-1]  # the last is the scale
    assert len(squares) == 2
    for square, table in zip(squares, TABLES.values(), strict=True):
        shown = np.asarray(square.get_array())
        assert np.diag(shown) == pytest.approx(1)
        assert shown[3, 7] == pytest.approx(cosine(table[3], table[7]))
        assert square.get_clim() == (-1, 1)
    assert texts(ax)[0] == "before"
    assert {"0", "19", "position", "cosine"} <= set(texts(ax))


def test_position_similarity_is_fuller_where_rows_are_more_alike() -> None:
    square = plots.position_similarity(TABLES).images[0]
    shades = square.cmap(square.norm(np.array([-1.0, -0.5, 0, 0.5, 1])))[:, :3].sum(1)
    assert list(shades) == sorted(shades, reverse=True)
    assert shades[0] == pytest.approx(3)


@pytest.mark.parametrize("n", [0, 4])
def test_position_similarity_takes_one_to_three_tables(n: int) -> None:
    with pytest.raises(ValueError, match=f"^there are {n} tables; give one to three$"):
        plots.position_similarity({str(i): np.ones((2, 2)) for i in range(n)})
