"""The figures of the chapter `training` show the tables and the losses that they are given."""

from typing import Any

import matplotlib as mpl
import pytest
from figure_checks import in_sight

mpl.use("agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_hex, to_rgb
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
    assert all(arrow.arrowprops["arrowstyle"] == "-|>" for arrow in arrows)  # type: ignore[index]
    assert all(arrow.arrow_patch.get_edgecolor()[:3] == to_rgb(plots.TOKEN) for arrow in arrows)  # type: ignore[union-attr]


def test_gradient_step_writes_each_name_at_its_row_where_the_arrow_does_not_go() -> None:
    ax = plots.gradient_step(BEFORE, AFTER, ["read", "wrong", "right"])
    names = [t for t in ax.texts if t.get_text()]
    for name, row, line, (x, y), side in zip(
        names, BEFORE, ax.lines, AFTER, [1, 1, -1], strict=True
    ):
        assert isinstance(name, Annotation)
        assert [*name.xy] == np.asarray(line.get_xydata())[0].tolist() == row
        assert name.xyann[1] * side > 0
        assert name.get_color() == line.get_color() == plots.TOKEN
        assert line.get_linestyle() == "None"
        for (low, high), value in ((ax.get_xlim(), x), (ax.get_ylim(), y)):
            assert low < value < high
        for (low, high), value in ((ax.get_xlim(), row[0]), (ax.get_ylim(), row[1])):
            assert low < value < high
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("first number of a row", "second number")
    assert ax.get_aspect() == 1


def test_gradient_step_fills_the_row_that_was_read_and_no_other() -> None:
    before = [[2.0, 4], [1, 4], [0, 5]]
    after = [[2.0, 4.4], [1, 3.8], [0.8, 5]]
    ax = plots.gradient_step(before, after, ["read", "wrong", "right"])
    for x, y in np.concatenate([before, after]):
        assert ax.get_xlim()[0] < x < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < y < ax.get_ylim()[1]
    filled = [not same_color(line.get_markerfacecolor(), "white") for line in ax.lines]
    assert filled == [True, False, False]
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker() == ax.lines[2].get_marker()
    assert same_color(ax.lines[0].get_markerfacecolor(), plots.TOKEN)


# loss_curves

LOSSES = {"training": {0: 5.8, 10: 3.1, 20: 1.5}, "held out": {0: 5.8, 20: 5.1}}


def test_loss_curves_draws_each_curve_in_its_own_style_and_the_levels_last() -> None:
    ax = plots.loss_curves(LOSSES, {"alike": 5.85})
    for line, curve in zip(ax.lines, LOSSES.values(), strict=False):
        assert np.asarray(line.get_xydata()).tolist() == [[*point] for point in curve.items()]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert set(ax.lines[2].get_ydata()) == {5.85}
    assert texts(ax) == ["training", "held out", "alike"]
    for label in ax.texts:
        assert isinstance(label, Annotation)
    for line, label in zip(ax.lines[:2], ax.texts[:2], strict=True):
        assert list(label.xy) == np.asarray(line.get_xydata())[-1].tolist()
        assert label.xyann == (6, 0)
        assert line.get_color() == plots.INK
    level = ax.texts[2]
    assert level.xy == (ax.get_xlim()[1], 5.85)
    assert level.xyann == (0, 3)
    assert ax.lines[2].get_color() == level.get_color() == plots.MUTED
    assert ax.lines[2].get_linestyle() != "-"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "loss")


def test_loss_curves_begin_at_zero_and_leave_the_names_room_without_ticks() -> None:
    ax = plots.loss_curves(LOSSES)
    assert ax.get_ylim()[0] == 0
    assert ax.get_xlim()[1] > 20
    assert max(ax.get_xticks()) <= 20
    assert {0, 10, 20} <= {float(tick) for tick in ax.get_xticks()}
    assert ax.get_xlim()[0] == 0
    assert ax.get_ylim()[1] > 5.8
    assert plots.loss_curves(LOSSES, {"high": 9.0}).get_ylim()[1] > 9


def test_loss_curves_tells_three_curves_apart() -> None:
    ax = plots.loss_curves({str(i): {0: 1.0, 9: i} for i in range(3)})
    styles = {str(line._unscaled_dash_pattern) for line in ax.lines}
    assert len(styles) == 3


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
    assert list(untied.get_xdata()) == list(x)
    assert (np.abs(x[:2] + 1.6) < 0.2).all()
    for dots in (tied, untied):
        assert dots.get_color() == plots.TOKEN
        assert dots.get_marker() == "o"
        assert dots.get_linestyle() == "None"
    low, high = ax.get_xlim()
    assert low < min(x) < max(x) < high
    low, high = ax.get_ylim()
    assert low < 0 < 1.1 < high
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "times the token occurs",
        "distance its row moved",
    )
    assert list(limit.get_xdata()) == [-0.8, -0.8]
    assert limit.get_linestyle() != "-"


def test_rows_moved_spreads_equal_counts_by_no_more_than_a_third() -> None:
    ax = plots.rows_moved([1] * 40, {"one": np.arange(40)})
    x = np.asarray(ax.lines[0].get_xdata())
    assert len(set(x.round(6))) == 40
    assert -0.175 < x.min() < -0.15 < 0.15 < x.max() < 0.175


def test_rows_moved_names_a_table_where_the_most_frequent_tokens_are() -> None:
    ax = plots.rows_moved(COUNTS, MOVED)
    right = max(np.asarray(ax.lines[0].get_xdata()))
    for label, height in zip(ax.texts, (1, 0.3), strict=True):
        assert isinstance(label, Annotation)
        assert label.xy == (right, height)
        assert label.xyann == (12, 0)
        assert label.get_color() == plots.TOKEN
    many = plots.rows_moved(range(120), {"one": np.arange(120) ** 2})
    assert many.texts[0].xy[1] == (118**2 + 119**2) / 2


def test_rows_moved_labels_the_counts() -> None:
    ax = plots.rows_moved(COUNTS, MOVED)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", *map(str, 2 ** np.arange(7))]
    assert list(ax.get_xticks()) == [-1.6, *range(7)]
    for most, last in ((256, "256"), (255, "128")):
        ax = plots.rows_moved([0, most], {"one": [0, 1]})
        assert ax.get_xticklabels()[-1].get_text() == last


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


def test_nearest_rows_of_as_many_candidates_as_wanted() -> None:
    ax = plots.nearest_rows({"one": np.eye(3)}, [0], [0, 1, 2], NAMES, 2)
    assert texts(ax) == ["one", "t0", "t1", "0.00", "t2", "0.00"]


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


def framed(ax: Axes) -> list[Rectangle]:
    """The frame of each map, from the top."""
    frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    return sorted(frames, key=lambda frame: -frame.get_y())


def test_row_map_explains_its_shapes_and_names_its_maps() -> None:
    four = {"a": {"t0": 0}, "long name": {"t1": 1}, "b": {"t2": 2}, "c": {"t3": 3}}
    ax = plots.row_map(TABLES, four, range(12))
    written = {label.get_text(): label for label in ax.texts}
    keys = [line for line in ax.lines if line.get_ydata()[0] < 0.3 and len(line.get_xdata()) == 1]
    assert [key.get_marker() for key in keys] == ["o", "s", "^", "D"]
    edge = 0.0
    for key, name in zip(keys, four, strict=True):
        extent = written[name].get_window_extent().transformed(ax.transData.inverted())
        (x,), (y,) = key.get_data()
        assert edge < x < extent.x0 < x + 0.3
        assert written[name].get_position()[1] == y > 0
        edge = extent.x1
        assert key.get_color() == plots.TOKEN
    upper, lower = framed(ax)
    for frame, name in ((upper, "before"), (lower, "after")):
        (title,) = (label for text, label in written.items() if text.startswith(f"{name}: "))
        assert title.get_position()[0] < 0.2
        assert frame.get_bbox().y1 < title.get_position()[1] < frame.get_bbox().y1 + 0.35
    assert upper.get_y() > lower.get_bbox().y1
    assert lower.get_y() > 0.3
    assert ax.get_ylim()[1] > upper.get_bbox().y1
    for frame in (upper, lower):
        assert 0 <= frame.get_x() < frame.get_bbox().x1 <= plots.WIDTH


def test_row_map_draws_all_rows_of_a_table_inside_its_frame() -> None:
    ax = plots.row_map(TABLES, GROUPS, range(12))
    assert in_sight(ax)
    upper, lower = framed(ax)
    points = marked(ax)
    for frame in (upper, lower):
        inside = [
            (x, y)
            for where in points.values()
            for x, y in where
            if frame.get_y() < y < frame.get_bbox().y1
        ]
        assert len(inside) == 12
        x, y = np.array(inside).T
        box = frame.get_bbox()
        assert box.x0 < x.min() < x.max() < box.x1
        # As large as the frame lets them be, and in its middle.
        assert (x.max() - x.min() == pytest.approx(plots.WIDTH - 1.1)) or (
            y.max() - y.min() == pytest.approx(box.height - 0.6)
        )
        assert x.max() + x.min() == pytest.approx(box.x0 + box.x1)
        assert y.max() + y.min() == pytest.approx(box.y0 + box.y1)
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert {dot.get_color() for dot in dots} == {plots.MUTED}


def test_row_map_writes_each_name_near_its_own_row_and_on_no_other_name() -> None:
    names = {f"t{i}": i for i in range(5)}
    ax = plots.row_map({"one": TABLES["before"]}, {"some": names}, range(12))
    points, dots = dict(zip(names, marked(ax)["o"], strict=True)), marked(ax)["."]
    labels = [label for label in ax.texts if label.get_text() in names]
    frame = framed(ax)[0].get_bbox()
    extents: list[Any] = []
    for label in labels:
        extent = label.get_window_extent().transformed(ax.transData.inverted())
        assert frame.x0 < extent.x0 < extent.x1 < frame.x1
        assert frame.y0 < extent.y0 < extent.y1 < frame.y1
        away = {
            name: np.hypot(*(np.array(point) - label.get_position()))
            for name, point in points.items()
        }
        assert away[label.get_text()] < 0.5
        assert not any(extent.contains(*point) for point in [*points.values(), *dots])
        assert not any(extent.overlaps(other) for other in extents)
        extents.append(extent)


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


def test_row_map_turns_each_component_so_that_its_largest_entry_is_positive() -> None:
    table = np.array([[3.0, 0.5], [-3, -0.5], [0.1, -1], [-0.1, 1]]) @ [[1, 0], [0, 1]]
    for sign in (1, -1):
        names = {"a": 0, "b": 1, "c": 2, "d": 3} if sign > 0 else {"a": 1, "b": 0, "c": 3, "d": 2}
        points = np.array(marked(plots.row_map({"t": table}, {"g": names}, range(4)))["o"])
        assert np.sign(points[0, 0] - points[1, 0]) == sign
        assert np.sign(points[3, 1] - points[2, 1]) == sign


def test_row_map_includes_marked_rows_that_are_no_candidates() -> None:
    ax = plots.row_map({"one": TABLES["before"]}, {"last": {"t19": 19}}, range(5))
    assert {shape: len(where) for shape, where in marked(ax).items()} == {"o": 1, ".": 5}
    values = np.linalg.eigvalsh(np.cov(TABLES["before"][[*range(5), 19]].T))
    share = values[-2:].sum() / values.sum()
    assert f"one: {share:.0%} of the variance" in texts(ax)
    assert len(marked(plots.row_map({"three": np.eye(3)}, {"g": {"t0": 0}}, range(3)))["."]) == 2


def test_row_map_names_all_marked_rows_even_where_they_crowd() -> None:
    table = np.concatenate([RANDOM.normal(size=(9, 6)) * 0.01, [[1, 0, 0, 0, 0, 0], [-1] * 6]])
    names = {f"token {i}": i for i in range(9)}
    ax = plots.row_map({"crowd": table}, {"group": names}, range(11))
    assert set(names) <= set(texts(ax))
    # A name that found its place far from its row is joined with it by a line up to its edge.
    labels = {label.get_text(): label for label in ax.texts if label.get_text() in names}
    extents = {
        name: label.get_window_extent().transformed(ax.transData.inverted())
        for name, label in labels.items()
    }
    points = dict(zip(names, marked(ax)["o"], strict=True))
    lines = [np.asarray(line.get_xydata()) for line in ax.lines if len(line.get_xdata()) == 2]
    joined = {tuple(start): end for start, end in lines}
    assert 0 < len(joined) < len(names)
    for name, extent in extents.items():
        x, y = labels[name].get_position()
        point = np.array(points[name])
        apart = np.hypot(*(point - (x, y))) > extent.width / 2 + 0.03 + 0.2
        assert (tuple(points[name]) in joined) == apart
        if apart:
            end = joined[tuple(points[name])]
            assert extent.padded(0.1).contains(*end)
            assert not extent.padded(-0.05).contains(*end)
            rest, whole = np.array([x, y]) - end, np.array([x, y]) - point
            assert rest / np.hypot(*rest) == pytest.approx(whole / np.hypot(*whole))


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


def test_position_similarity_explains_its_shades() -> None:
    ax = plots.position_similarity(TABLES)
    square, scale = ax.images[0], ax.images[-1]
    assert scale.cmap is square.cmap
    assert scale.get_clim() == (-1, 1)
    values = np.asarray(scale.get_array())[0]
    assert (values[0], values[100], values[-1]) == (-1, 0, 1)
    assert list(values) == sorted(values)
    left, right, bottom, top = scale.get_extent()
    assert 0 < bottom < top < square.get_extent()[2]
    assert right <= plots.WIDTH
    frame = ax.patches[-1].get_extents().transformed(ax.transData.inverted())
    assert frame.extents == pytest.approx([left, bottom, right, top])
    assert ax.patches[-1].get_facecolor()[3] == 0
    cosine, *numbers = ax.texts[-4:]
    assert cosine.get_text() == "cosine"
    assert cosine.get_window_extent().transformed(ax.transData.inverted()).x1 < left
    assert bottom < cosine.get_position()[1] < top
    assert [label.get_text() for label in numbers] == ["−1", "0", "1"]
    for label, x in zip(numbers, (left, (left + right) / 2, right), strict=True):
        assert label.get_position()[0] == pytest.approx(x)
        assert 0 < label.get_position()[1] < bottom


def test_position_similarity_is_fuller_where_rows_are_more_alike() -> None:
    square = plots.position_similarity(TABLES).images[0]
    shades = square.cmap(square.norm(np.array([-1.0, -0.5, 0, 0.5, 1])))[:, :3].sum(1)
    assert list(shades) == sorted(shades, reverse=True)
    assert shades[0] == pytest.approx(3)
    assert len(set(shades)) == 5
    assert to_hex(square.cmap(1.0)) == plots.POSITION
