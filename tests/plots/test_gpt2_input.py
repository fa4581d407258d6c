"""The figures of the chapter `gpt2-input` show what the module holds and what the models cost."""

import matplotlib as mpl
import numpy as np
import pytest
import torch
from figure_checks import in_sight

mpl.use("agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Annotation

from companion import plots
from companion.bpe import gpt2
from companion.embeddings import GPT2Embeddings
from companion.story import SENTENCE
from companion.windows import SlidingWindows

SENTENCE_IDS = gpt2().encode(SENTENCE)
FAMILY = {"small": (12, 768), "medium": (24, 1024), "large": (36, 1280), "XL": (48, 1600)}


@pytest.fixture
def embeddings() -> GPT2Embeddings:
    torch.manual_seed(0)
    return GPT2Embeddings(vocab_size=50257, context_size=16, d_model=12).eval()


@pytest.fixture
def windows() -> torch.Tensor:
    inputs = [inputs for inputs, _ in SlidingWindows(SENTENCE_IDS, context_size=5, stride=2)]
    return torch.stack(inputs)  # (3, 5)


@pytest.fixture
def flow() -> Axes:
    """A small flow: three sequences of two ids."""
    ids = torch.tensor([[41, 42], [43, 44], [45, 46]])
    return plots.gpt2_flow(GPT2Embeddings(vocab_size=100, context_size=4, d_model=7), ids)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def strips(ax: Axes) -> list[Rectangle]:
    """The cells of the vectors, the only rectangles with a white edge."""
    return [
        patch
        for patch in ax.patches
        if isinstance(patch, Rectangle) and same_color(patch.get_edgecolor(), "white")
    ]


def sheets(ax: Axes, color: str) -> list[Rectangle]:
    """The sheets of a colour, from back to front."""
    return [
        patch
        for patch in ax.patches
        if isinstance(patch, Rectangle)
        and same_color(patch.get_edgecolor(), color)
        and same_color(patch.get_facecolor(), "white")
    ]


def darkness(cells: list[Rectangle]) -> list[float]:
    """How dark the cells are in their own hue."""
    return [3 - sum(to_rgb(cell.get_facecolor())) for cell in cells]


def test_flow_writes_every_shape(embeddings: GPT2Embeddings, windows: torch.Tensor) -> None:
    written = texts(plots.gpt2_flow(embeddings, windows))
    x = embeddings(windows)
    for letters, tensor in [
        ("(B, n)", windows),
        ("(n, d)", embeddings.position.weight[:5]),
        ("(V, d)", embeddings.token.weight),
        ("(B, n, V)", embeddings.logits(x)),
    ]:
        assert written.count(f"{letters}\n{tuple(tensor.shape)}") == 1
    # Token vectors, their sum with the positions, and the hidden vectors.
    assert written.count(f"(B, n, d)\n{tuple(x.shape)}") == 3 == len(windows)
    for name in ("ids", "token vectors", "position vectors", "input", "hidden vectors", "logits"):
        assert written.count(name) == 1


def test_flow_writes_the_first_sequence_beside_its_positions(
    embeddings: GPT2Embeddings, windows: torch.Tensor
) -> None:
    ax = plots.gpt2_flow(embeddings, windows)
    heights = {label.get_text(): label.get_position()[1] for label in ax.texts}
    for position, token_id in enumerate(SENTENCE_IDS[:5]):
        assert heights[str(token_id)] == heights[str(position)]
    assert str(SENTENCE_IDS[5]) not in heights  # it begins none of the sheets behind


def test_flow_draws_the_numbers_of_both_tables_and_of_their_sum(
    embeddings: GPT2Embeddings, windows: torch.Tensor
) -> None:
    cells = strips(plots.gpt2_flow(embeddings, windows))
    assert len(cells) == 5 * 3 * 6
    x = embeddings(windows)[0].detach()
    for position, token_id in enumerate(SENTENCE_IDS[:5]):
        row = cells[18 * position : 18 * (position + 1)]
        for part, vector in (
            (row[:6], embeddings.token.weight[token_id].detach()),
            (row[6:12], embeddings.position.weight[position].detach()),
            (row[12:], x[position]),
        ):
            assert np.argsort(darkness(part)).tolist() == vector[:6].argsort().tolist()
            assert len({cell.get_y() for cell in part}) == 1
            assert [cell.get_x() for cell in part] == sorted(cell.get_x() for cell in part)


def test_flow_has_a_sheet_a_sequence_but_one_of_positions(
    embeddings: GPT2Embeddings, windows: torch.Tensor
) -> None:
    for n_sequences in (1, 2, 3):
        ax = plots.gpt2_flow(embeddings, windows[:n_sequences])
        assert len(sheets(ax, plots.POSITION)) == 1
        assert len(sheets(ax, plots.TOKEN)) == 2 * n_sequences  # ids and token vectors
        assert len(sheets(ax, plots.INPUT)) == n_sequences
        assert len(sheets(ax, plots.BYTE)) == 2 * n_sequences  # hidden vectors and logits


def test_flow_lays_the_sheets_of_a_batch_behind_each_other(flow: Axes) -> None:
    ax = flow
    assert in_sight(ax)
    columns = [sheets(ax, plots.TOKEN)[:3], sheets(ax, plots.TOKEN)[3:],
               sheets(ax, plots.POSITION), sheets(ax, plots.INPUT)]  # fmt: skip
    hidden, logits = sheets(ax, plots.BYTE)[:3], sheets(ax, plots.BYTE)[3:]
    for stack in (*columns, hidden, logits):
        corners = [(sheet.get_x(), sheet.get_y()) for sheet in stack]
        assert corners == sorted(corners, reverse=True)  # the front one, drawn last, lies lowest
        assert len(set(corners)) == len(stack)
        assert len({(sheet.get_width(), sheet.get_height()) for sheet in stack}) == 1
    edges = [edge for stack in columns for edge in (stack[-1].get_x(), stack[0].get_bbox().x1)]
    assert edges == sorted(edges)
    # In each half all begin at one height, and the ends of the way stand under its beginning.
    assert len({stack[-1].get_y() for stack in columns}) == 1
    assert len({label.get_position()[1] for label in ax.texts if label.get_va() == "bottom"}) == 2
    assert hidden[-1].get_y() == logits[-1].get_y()
    assert hidden[0].get_bbox().y1 < columns[0][-1].get_y()
    assert logits[-1].get_x() == columns[0][-1].get_x()
    assert hidden[-1].get_x() == columns[2][-1].get_x()
    titles = {label.get_text(): label for label in ax.texts}
    names = ["ids", "token vectors", "position vectors", "input", "hidden vectors", "logits"]
    colors = [plots.TOKEN, plots.TOKEN, plots.POSITION, plots.INPUT, plots.INK, plots.INK]
    for name, color, stack in zip(names, colors, [*columns, hidden, logits], strict=True):
        title = titles[name]
        shape = next(
            label
            for label in ax.texts[ax.texts.index(title) :]  # type: ignore[arg-type]
            if label.get_text().startswith("(")
        )
        assert title.get_color() == color
        assert title.get_ha() == shape.get_ha() == "center"
        assert (title.get_va(), shape.get_va()) == ("bottom", "top")
        front = stack[-1].get_bbox()
        for label in (title, shape):
            assert front.x0 < label.get_position()[0] < front.x1
            assert label.get_position()[0] == pytest.approx((front.x0 + front.x1) / 2, abs=0.2)
        assert title.get_position()[1] > stack[0].get_bbox().y1
        assert shape.get_position()[1] < front.y0


def test_flow_writes_and_draws_inside_the_front_sheets(flow: Axes) -> None:
    ax = flow
    ids = sheets(ax, plots.TOKEN)[2].get_bbox()
    fronts = [sheets(ax, plots.TOKEN)[5], sheets(ax, plots.POSITION)[0], sheets(ax, plots.INPUT)[2]]
    cells = np.array(strips(ax)).reshape(2, 3, 6)
    dots = np.array([label for label in ax.texts if label.get_text() == "…"]).reshape(2, 3)
    labels = {label.get_text(): label for label in ax.texts}
    above = ids.y1
    for position, token_id in enumerate((41, 42)):
        written, number = labels[str(token_id)], labels[str(position)]
        x, y = written.get_position()
        assert x == pytest.approx((ids.x0 + ids.x1) / 2)
        assert written.get_ha() == "center"
        assert number.get_ha() == "right"
        assert number.get_color() == plots.POSITION
        assert 0 < fronts[1].get_x() - number.get_position()[0] < 0.2
        for strip, dot, front in zip(cells[position], dots[position], fronts, strict=True):
            frame = front.get_bbox()
            assert y == dot.get_position()[1] == pytest.approx(strip[0].get_center()[1])
            assert frame.x0 < strip[0].get_x()
            assert strip[-1].get_bbox().x1 < dot.get_position()[0] < frame.x1
            assert same_color(dot.get_color(), front.get_edgecolor())
            assert above >= strip[0].get_bbox().y1 > strip[0].get_y() > frame.y0
        above = cells[position, 0, 0].get_y()


def test_flow_shades_both_tables_and_their_sum_by_one_scale(windows: torch.Tensor) -> None:
    embeddings = GPT2Embeddings(50257, 8, 3)
    with torch.no_grad():
        embeddings.token.weight[:] = 7  # of no id that is drawn
        embeddings.token.weight[windows[0]] = torch.tensor([-4.0, 1.0, 0.0])
        embeddings.position.weight[:5] = torch.tensor([-1.0, 2.0, 0.0])
        embeddings.position.weight[5:] = 9
    cells = strips(plots.gpt2_flow(embeddings, windows))[:9]
    shares = []
    hues = np.repeat([plots.TOKEN, plots.POSITION, plots.INPUT], 3)
    for cell, color in zip(cells, hues, strict=True):
        lack = (1 - np.array(to_rgb(cell.get_facecolor()))) / (1 - np.array(to_rgb(color)))
        assert lack == pytest.approx([lack[0]] * 3)  # a tint of its own colour
        shares.append(lack[0])
    lightest, zero = shares[0], shares[2]
    numbers = [-4, 1, 0, -1, 2, 0, -4, 3, 0]  # a sum beyond the scale is no lighter
    assert shares == pytest.approx([zero + (zero - lightest) * n / 4 for n in numbers])
    assert 0 < lightest < 0.2


def test_flow_leads_from_the_ids_to_the_logits(flow: Axes) -> None:
    ax = flow
    ids, tokens = sheets(ax, plots.TOKEN)[:3], sheets(ax, plots.TOKEN)[3:]
    (positions,), sums = sheets(ax, plots.POSITION), sheets(ax, plots.INPUT)
    hidden, logits = sheets(ax, plots.BYTE)[:3], sheets(ax, plots.BYTE)[3:]
    (blocks,) = (patch for patch in ax.patches if isinstance(patch, FancyBboxPatch))
    (table,) = (
        patch
        for patch in ax.patches
        if isinstance(patch, Rectangle)
        and same_color(patch.get_edgecolor(), plots.TOKEN)
        and not same_color(patch.get_facecolor(), "white")
    )
    lack = 1 - np.array([to_rgb(blocks.get_facecolor()), to_rgb(plots.BYTE)])
    assert lack[0] / lack[1] == pytest.approx([lack[0][0] / lack[1][0]] * 3)  # a tint of grey
    assert same_color(blocks.get_edgecolor(), plots.BYTE)
    labels = {label.get_text(): label for label in ax.texts}
    around = blocks.get_window_extent().transformed(ax.transData.inverted())
    for name, frame in (("blocks of the\ntransformer", around), ("the same\ntoken table",
                        table.get_bbox())):  # fmt: skip
        assert labels[name].get_position() == pytest.approx(
            ((frame.x0 + frame.x1) / 2, (frame.y0 + frame.y1) / 2)
        )
        assert (labels[name].get_ha(), labels[name].get_va()) == ("center", "center")
    arrows = [text for text in ax.texts if isinstance(text, Annotation)]
    assert all(arrow.arrowprops["arrowstyle"] == "->" for arrow in arrows)  # type: ignore[index]
    into, down, *back = ((*arrow.xyann, *arrow.xy) for arrow in arrows)
    middle = (ids[2].get_bbox().y0 + ids[2].get_bbox().y1) / 2
    assert ids[0].get_bbox().x1 < into[0] < into[2] < tokens[2].get_x()
    assert into[1] == into[3] == pytest.approx(middle)
    for sign, left, right in (("+", tokens[0], positions), ("=", positions, sums[2])):
        assert labels[sign].get_position()[1] == pytest.approx(middle)
        assert left.get_bbox().x1 < labels[sign].get_position()[0] < right.get_x()
    assert down[0] == down[2] == pytest.approx(sums[2].get_center()[0])
    assert sums[2].get_y() > down[1] > down[3] > around.y1
    stations = [(around, around), (hidden[2].get_bbox(), hidden[0].get_bbox()),
                (table.get_bbox(), table.get_bbox()),
                (logits[2].get_bbox(), logits[0].get_bbox())]  # fmt: skip
    assert len(back) == 3
    height = table.get_center()[1]
    for arrow, (start, _), (_, end) in zip(back, stations, stations[1:], strict=False):
        assert start.x0 > arrow[0] > arrow[2] > end.x1
        assert arrow[1] == arrow[3] == pytest.approx(height)
    assert around.y0 + around.y1 == pytest.approx(2 * height)
    # The table is joined with the vectors that were taken from it.
    (line,) = ax.lines
    assert line.get_color() == plots.TOKEN
    assert line.get_linestyle() == "--"
    (x, again), (upper, lower) = line.get_data()
    assert x == again == pytest.approx(table.get_center()[0])
    assert tokens[2].get_x() < x < tokens[2].get_bbox().x1
    assert tokens[2].get_y() > upper > lower > table.get_bbox().y1
    shape = labels["(V, d)\n(100, 7)"]
    assert shape.get_position()[0] == x
    assert shape.get_position()[1] < table.get_y()
    assert table.get_height() == pytest.approx(hidden[2].get_height())


def test_flow_cuts_only_vectors_that_are_too_long(windows: torch.Tensor) -> None:
    for d, n_cells, n_dots in ((4, 4, 0), (6, 6, 0), (7, 6, 15)):
        embeddings = GPT2Embeddings(50257, 8, d)
        ax = plots.gpt2_flow(embeddings, windows)
        assert len(strips(ax)) == 15 * n_cells
        assert texts(ax).count("…") == n_dots


@pytest.mark.parametrize("shape", [(1, 1), (4, 8), (1, 8), (4, 1)])
def test_flow_stays_inside_the_figure(embeddings: GPT2Embeddings, shape: tuple[int, int]) -> None:
    ax = plots.gpt2_flow(embeddings, torch.full(shape, 50256))
    ax.figure.canvas.draw()
    limit = ax.figure.bbox
    for artist in [*ax.texts, *ax.patches]:
        extent = artist.get_window_extent()
        assert limit.x0 - 1 <= extent.x0
        assert extent.x1 <= limit.x1 + 1
        assert limit.y0 - 1 <= extent.y0
        assert extent.y1 <= limit.y1 + 1


@pytest.mark.parametrize("shape", [(5,), (1, 2, 3), (5, 2), (2, 9), (0, 3), (2, 0)])
def test_flow_of_a_batch_that_cannot_be_drawn(
    embeddings: GPT2Embeddings, shape: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        plots.gpt2_flow(embeddings, torch.zeros(shape, dtype=torch.long))
    assert str(caught.value) == (
        f"ids of shape {shape} cannot be drawn; give up to 4 sequences of up to 8 ids, "
        "of shape (B, n)"
    )


def ledger(n_blocks: int, d: int) -> dict[str, int]:
    rest = n_blocks * (12 * d**2 + 13 * d) + 2 * d
    return {"token table": 50257 * d, "position table": 1024 * d, "everything else": rest}


def bars(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_tied_parameters_draws_each_part_as_its_share() -> None:
    models = {name: ledger(*size) for name, size in FAMILY.items()}
    ax = plots.tied_parameters(models)
    drawn = bars(ax)
    assert len(drawn) == 5 * len(models)
    for row, model in enumerate(models.values()):
        *parts, whole, second = drawn[5 * row : 5 * row + 5]
        total = sum(model.values())
        assert [bar.get_width() * total for bar in parts] == pytest.approx(list(model.values()))
        ends = [bar.get_x() + bar.get_width() for bar in parts]
        assert [bar.get_x() for bar in parts] == pytest.approx([0, *ends[:2]])
        assert ends[-1] == pytest.approx(1)
        assert (whole.get_x(), whole.get_width()) == (0, 1)
        # The second table: behind the model, as long as the first, and open.
        assert second.get_x() == 1
        assert second.get_width() == pytest.approx(parts[0].get_width())
        assert same_color(second.get_facecolor(), "white")
        assert second.get_linestyle() != "solid"
        assert same_color(second.get_edgecolor(), plots.TOKEN)
        assert whole.get_facecolor()[3] == 0  # it would hide the parts
        assert same_color(whole.get_edgecolor(), plots.INK)
        assert {bar.get_center()[1] for bar in (*parts, whole, second)} == {row}
        assert {bar.get_height() for bar in (*parts, whole, second)} == {whole.get_height()}
        for bar, hue in zip(parts, (plots.TOKEN, plots.POSITION, plots.BYTE), strict=True):
            lack = (1 - np.array(to_rgb(bar.get_facecolor()))) / (1 - np.array(to_rgb(hue)))
            assert lack == pytest.approx([lack[0]] * 3)
    assert whole.get_height() < 1
    assert [label.get_text() for label in ax.get_yticklabels()] == list(FAMILY)


def test_tied_parameters_writes_both_numbers_of_each_model() -> None:
    written = texts(plots.tied_parameters({name: ledger(*size) for name, size in FAMILY.items()}))
    assert written[0:8:2] == ["124.4 M", "354.8 M", "774.0 M", "1,557.6 M"]
    assert written[1:8:2] == ["+ 38.6 M", "+ 51.5 M", "+ 64.3 M", "+ 80.4 M"]
    huge = {"token table": 40_000_000_000, "position table": 0, "rest": 60_000_000_000}
    assert texts(plots.tied_parameters({"huge": huge}))[:2] == ["100,000.0 M", "+ 40,000.0 M"]
    assert sorted(written[8:]) == sorted([*ledger(1, 1), "a second token table"])


def test_tied_parameters_writes_beside_what_it_is_about() -> None:
    models = {name: ledger(*size) for name, size in FAMILY.items()}
    ax = plots.tied_parameters(models)
    drawn = bars(ax)
    bottom, top = ax.get_ylim()
    left, right = ax.get_xlim()
    assert left == 0
    assert list(ax.get_xticks()) == []
    for row in range(4):
        whole, added = ax.texts[2 * row : 2 * row + 2]
        assert whole.get_position()[1] == added.get_position()[1] == row
        assert 0.9 < whole.get_position()[0] < 1
        assert whole.get_ha() == "right"
        end = drawn[5 * row + 4].get_bbox().x1
        assert end < added.get_position()[0] < end + 0.1
        assert added.get_position()[0] < right
        assert added.get_color() == plots.TOKEN
        assert top < drawn[5 * row].get_y() < drawn[5 * row].get_bbox().y1 < bottom
    tables, rest, second, positions = ax.texts[8:]
    assert [label.get_text() for label in (tables, positions, rest)] == [*models["small"]]
    assert tables.get_position()[0] == 0
    assert (rest.get_ha(), rest.get_position()[0] < 1) == ("right", True)
    assert rest.get_position()[0] > 0.9
    assert 1 < second.get_position()[0] < 1.1
    colors = [label.get_color() for label in (tables, rest, second, positions)]
    assert colors == [plots.TOKEN, plots.MUTED, plots.TOKEN, plots.POSITION]
    # Above the first bar: the position table is too thin to be written at, so a line leads to it.
    upper = drawn[0].get_y()
    assert len({label.get_position()[1] for label in (tables, rest, second)}) == 1
    assert top < positions.get_position()[1] < tables.get_position()[1] < upper
    assert {label.get_va() for label in (tables, rest, second)} == {"bottom"}
    (line,) = ax.lines
    assert list(line.get_xdata()) == pytest.approx([drawn[1].get_center()[0]] * 2)
    start, end = line.get_ydata()
    assert upper > start > upper - 0.1
    assert end == pytest.approx(positions.get_position()[1], abs=0.1)
    assert end < tables.get_position()[1]
    assert 0 < positions.get_position()[0] - line.get_xdata()[0] < 0.1
    assert line.get_color() == plots.POSITION


def test_tied_parameters_needs_models_of_three_parts() -> None:
    with pytest.raises(
        ValueError, match=r"^there is no model to draw; give at least one with its parts$"
    ):
        plots.tied_parameters({})
    with pytest.raises(
        ValueError, match=r"^'two' has 2 parts; give three: token table, position table, rest$"
    ):
        plots.tied_parameters({"three": ledger(1, 8), "two": {"tokens": 1, "rest": 2}})
    with pytest.raises(ValueError, match=r"^'four' has 4 parts"):
        plots.tied_parameters({"four": {**ledger(1, 8), "more": 1}})


def test_figures_draw_in_given_axes(embeddings: GPT2Embeddings, windows: torch.Tensor) -> None:
    ax = plt.figure().add_subplot()
    assert plots.gpt2_flow(embeddings, windows, ax) is ax
    assert plots.tied_parameters({"small": ledger(12, 768)}, ax) is ax
    assert plots.gpt2_flow(embeddings, windows) is not ax
