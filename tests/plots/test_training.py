"""The figures of the chapter `training` show the tables and the losses that they are given."""

from typing import Any

import numpy as np
import pytest
from figure_checks import cells, points, texts
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_hex
from matplotlib.text import Annotation

from companion import plots

RANDOM = np.random.default_rng(1)
TABLES = {"before": RANDOM.normal(size=(20, 6)), "after": RANDOM.normal(size=(20, 6))}
NAMES = {i: f"t{i}" for i in range(20)}


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def test_gradient_step_leads_an_arrow_from_each_row_to_its_new_place() -> None:
    before, after = [[0.0, 1], [1, 0], [2, 0]], [[0.8, 1], [1, -0.2], [2, 0.4]]
    ax = plots.gradient_step(before, after, ["read", "wrong", "right"])
    arrows = [t for t in ax.texts if isinstance(t, Annotation) and t.arrow_patch is not None]
    assert [(list(arrow.xyann), list(arrow.xy)) for arrow in arrows] == [
        *zip(before, after, strict=True)
    ]
    assert {arrow.arrowprops["arrowstyle"] for arrow in arrows} == {"-|>"}  # type: ignore[index]
    names = [label for label in ax.texts if label.get_text()]
    assert [name.get_text() for name in names] == ["read", "wrong", "right"]
    assert [list(name.xy) for name in names] == before
    assert [points(dot) for dot in ax.lines] == [[row] for row in before]
    limits = np.transpose([ax.get_xlim(), ax.get_ylim()])
    assert ((limits[0] < after) & (after < limits[1])).all()
    # The row that was read is filled, and has a shape of its own.
    filled = [not same_color(dot.get_markerfacecolor(), "white") for dot in ax.lines]
    assert filled == [True, False, False]
    shapes = [dot.get_marker() for dot in ax.lines]
    assert shapes[0] != shapes[1] == shapes[2]
    assert ax.get_aspect() == 1  # a length is the same in both directions


LOSSES = {"training": {0: 5.8, 10: 3.1, 20: 1.5}, "held out": {0: 5.8, 20: 5.1}}


def test_loss_curves_draws_each_curve_and_the_levels_last() -> None:
    ax = plots.loss_curves(LOSSES, {"alike": 9.0})
    *curves, level = ax.lines
    assert [points(line) for line in curves] == [
        [[*point] for point in curve.items()] for curve in LOSSES.values()
    ]
    assert set(level.get_ydata()) == {9.0}
    assert level.get_linestyle() != "-"
    assert [(label.get_text(), *label.xy) for label in ax.texts] == [
        ("training", 20, 1.5),
        ("held out", 20, 5.1),
        ("alike", ax.get_xlim()[1], 9),
    ]
    assert max(ax.get_xticks()) == 20  # there is room for the names, which is no step
    assert ax.get_ylim()[1] > 9


COUNTS = [0, 0, 1, 1, 2, 8, 100]
MOVED = {"tied": [0.7, 0.8, 1, 1.1, 0.9, 0.8, 1], "untied": [0, 0, 0.3, 0.4, 0.5, 0.4, 0.3]}


def test_rows_moved_draws_a_dot_for_each_token_in_each_table() -> None:
    ax = plots.rows_moved(COUNTS, MOVED)
    tied, untied, limit = ax.lines
    assert list(tied.get_ydata()) == MOVED["tied"]
    assert list(untied.get_ydata()) == MOVED["untied"]
    x = np.asarray(tied.get_xdata())
    assert list(untied.get_xdata()) == list(x)
    ticks = dict(zip((t.get_text() for t in ax.get_xticklabels()), ax.get_xticks(), strict=True))
    assert list(ticks) == ["0", *map(str, 2 ** np.arange(7))]
    expected = [ticks["0"] if n == 0 else np.log2(n) for n in COUNTS]
    assert np.abs(x - expected).max() < 0.2
    assert len(set(x)) == len(COUNTS)  # no dot hides another of the same count
    assert max(x[:2]) < limit.get_xdata()[0] < min(x[2:])
    # A table is named at the height of the most frequent tokens.
    assert [(label.get_text(), *label.xy) for label in ax.texts] == [
        ("tied", max(x), 1),
        ("untied", max(x), 0.3),
    ]
    many = plots.rows_moved(range(120), {"one": np.arange(120) ** 2})
    assert many.texts[0].xy[1] == (118**2 + 119**2) / 2


def test_nearest_rows_are_those_of_the_highest_cosine_over_bars_as_long() -> None:
    ax = plots.nearest_rows(TABLES, [4, 9], range(15), NAMES, k=3)
    expected, lengths = ["before", "after"], []
    for query in (4, 9):
        expected.append(NAMES[query])
        for table in TABLES.values():
            by_hand = {i: cosine(table[query], table[i]) for i in range(15) if i != query}
            for i in sorted(by_hand, key=by_hand.__getitem__, reverse=True)[:3]:
                expected += [NAMES[i], f"{by_hand[i]:.2f}"]
                lengths.append(max(by_hand[i], 0))
    assert texts(ax) == expected
    widths = np.array([bar.get_width() for bar in cells(ax)])
    assert widths / widths[0] == pytest.approx(np.array(lengths) / lengths[0])


def test_nearest_rows_of_as_many_candidates_as_wanted() -> None:
    ax = plots.nearest_rows(
        {"one": np.array([[1, 0], [-1, 0.0], [0, 1]])}, [0], [0, 1, 2], NAMES, 2
    )
    assert texts(ax) == ["one", "t0", "t2", "0.00", "t1", "-1.00"]
    assert [bar.get_width() for bar in cells(ax)] == [0, 0]  # no bar goes to the left


def marked(ax: Axes) -> dict[str, list[list[float]]]:
    """The points of each shape, without those that explain the shapes."""
    found: dict[str, list[list[float]]] = {}
    for line in ax.lines:
        place, *more = points(line)
        if not more and place[1] > 0.3:
            found.setdefault(str(line.get_marker()), []).append(place)
    return found


def extents(ax: Axes, names: Any) -> dict[str, Any]:
    """Where some texts are drawn, in the units of the figure."""
    to_inches = ax.transData.inverted()
    return {
        label.get_text(): label.get_window_extent().transformed(to_inches)
        for label in ax.texts
        if label.get_text() in names
    }


def test_row_map_gives_each_group_a_shape_that_it_explains() -> None:
    groups = {"a": {"t0": 0, "t1": 1}, "long name": {"t2": 2}, "b": {"t3": 3}, "c": {"t19": 19}}
    ax = plots.row_map(TABLES, groups, range(12))
    shapes = ["o", "s", "^", "D"]
    keys = [line for line in ax.lines if points(line)[0][1] < 0.3]
    assert [key.get_marker() for key in keys] == shapes
    names = extents(ax, groups)
    for key, name in zip(keys, groups, strict=True):
        ((x, y),) = points(key)
        assert x < names[name].x0 < x + 0.3
        assert names[name].y0 < y < names[name].y1
    # In both maps: t19 is drawn though it is no candidate, and the rest are dots.
    counts = {shape: len(places) for shape, places in marked(ax).items()}
    assert counts == {"o": 4, "s": 2, "^": 2, "D": 2, ".": 16}


def test_row_map_draws_each_table_in_its_frame_under_its_share_of_the_variance() -> None:
    ax = plots.row_map(TABLES, {"last": {"t19": 19}}, range(12))
    upper, lower = sorted(cells(ax), key=lambda frame: -frame.get_y())
    places = np.concatenate(list(marked(ax).values()))
    for frame, (name, table) in zip((upper, lower), TABLES.items(), strict=True):
        values = np.linalg.eigvalsh(np.cov(table[[*range(12), 19]].T))
        title = f"{name}: {values[-2:].sum() / values.sum():.0%} of the variance"
        (label,) = (label for label in ax.texts if label.get_text() == title)
        assert frame.get_bbox().y1 < label.get_position()[1] < frame.get_bbox().y1 + 0.35
        inside = np.array([place for place in places if frame.get_bbox().contains(*place)])
        assert len(inside) == 13
        # In its middle.
        assert inside.max(0) + inside.min(0) == pytest.approx(2 * frame.get_center())
    assert upper.get_y() > lower.get_bbox().y1


def test_row_map_keeps_the_distances_of_rows_that_lie_in_a_plane() -> None:
    plane = RANDOM.normal(size=(12, 2)) @ np.linalg.qr(RANDOM.normal(size=(6, 2)))[0].T
    ax = plots.row_map({"flat": plane}, {"all": {f"t{i}": i for i in range(12)}}, range(12))
    drawn, pairs = np.array(marked(ax)["o"]), np.triu_indices(12, 1)
    apart, drawn_apart = (
        np.linalg.norm(rows[pairs[0]] - rows[pairs[1]], axis=1) for rows in (plane, drawn)
    )
    assert drawn_apart / apart == pytest.approx(np.full(66, drawn_apart[0] / apart[0]))
    assert "flat: 100% of the variance" in texts(ax)


@pytest.mark.parametrize("sign", [1, -1])
def test_row_map_turns_each_component_so_that_its_largest_entry_is_positive(sign: int) -> None:
    table = sign * np.array([[3.0, 0.5], [-3, -0.5], [0.1, -1], [-0.1, 1]])
    first, second, third, fourth = np.array(
        marked(plots.row_map({"t": table}, {"g": {name: i for i, name in enumerate("abcd")}},
                             range(4)))["o"]
    )  # fmt: skip
    assert np.sign(first[0] - second[0]) == sign
    assert np.sign(fourth[1] - third[1]) == sign


def test_row_map_names_all_marked_rows_near_them_even_where_they_crowd() -> None:
    table = np.concatenate([RANDOM.normal(size=(9, 6)) * 0.01, [[1, 0, 0, 0, 0, 0], [-1] * 6]])
    names = {f"token {i}": i for i in range(9)}
    ax = plots.row_map({"crowd": table}, {"group": names}, range(11))
    places = dict(zip(names, marked(ax)["o"], strict=True))
    written = extents(ax, names)
    assert list(written) == list(names)
    lines = [points(line) for line in ax.lines if len(points(line)) == 2]
    joined = {tuple(start): end for start, end in lines}
    assert 0 < len(joined) < len(names)
    (frame,) = cells(ax)
    for name, extent in written.items():
        assert frame.get_bbox().count_contains(extent.corners()) == 4
        assert not any(extent.contains(*place) for place in places.values())
        middle = np.array([extent.x0 + extent.x1, extent.y0 + extent.y1]) / 2
        apart = np.hypot(*(middle - places[name])) > extent.width / 2 + 0.23
        # A name far from its row is joined with it by a line up to its edge.
        assert (tuple(places[name]) in joined) == apart
        if apart:
            end = joined[tuple(places[name])]
            assert extent.padded(0.1).contains(*end)
            assert not extent.padded(-0.05).contains(*end)


def test_position_similarity_draws_the_cosines_and_explains_its_shades() -> None:
    ax = plots.position_similarity(TABLES)
    *squares, scale = ax.images
    for square, table in zip(squares, TABLES.values(), strict=True):
        shown = np.asarray(square.get_array())
        assert shown[3, 7] == pytest.approx(cosine(table[3], table[7]))
        assert np.diag(shown) == pytest.approx(1)
        assert square.get_clim() == (-1, 1)
        assert square.origin == "upper"  # the first row is on top
    assert squares[0].get_extent()[1] < squares[1].get_extent()[0]
    assert texts(ax) == [
        *("before", "0", "0", "19", "19", "after", "0", "19", "position"),
        *("cosine", "−1", "0", "1"),
    ]
    shades = squares[0].cmap(squares[0].norm([-1, -0.5, 0, 0.5, 1]))[:, :3].sum(1).tolist()
    assert shades == sorted(set(shades), reverse=True)  # fuller where rows are more alike
    assert (shades[0], to_hex(squares[0].cmap(1.0))) == (3, plots.POSITION)
    assert scale.cmap is squares[0].cmap
    assert scale.get_clim() == (-1, 1)
    left, right, *_ = scale.get_extent()
    values = np.asarray(scale.get_array())[0]
    for label, x in zip(ax.texts[-3:], (left, (left + right) / 2, right), strict=True):
        number = float(label.get_text().replace("−", "-"))
        assert label.get_position()[0] == pytest.approx(x)
        assert values[round((x - left) / (right - left) * 200)] == pytest.approx(number)
