"""The figures of the chapter `gpt2-input` show what the module holds and what the models cost."""

import numpy as np
import pytest
import torch
from figure_checks import cells, is_filled, numbers, strengths, texts
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgba
from matplotlib.patches import Rectangle

from companion import plots
from companion.embeddings import GPT2Embeddings

IDS = torch.tensor([[41, 42, 43, 44, 45], [43, 44, 45, 46, 47], [45, 46, 47, 48, 49]])
COLORS = plots.TOKEN, plots.POSITION, plots.INPUT


def flow(ids: torch.Tensor = IDS, d: int = 12) -> tuple[GPT2Embeddings, Axes]:
    embeddings = GPT2Embeddings(vocab_size=100, context_size=16, d_model=d).eval()
    return embeddings, plots.gpt2_flow(embeddings, ids)


def strips(ax: Axes) -> list[Rectangle]:
    """The cells of the vectors, the only rectangles with a white edge."""
    return [cell for cell in cells(ax) if same_color(cell.get_edgecolor(), "white")]


def test_flow_writes_every_shape() -> None:
    embeddings, ax = flow()
    x = embeddings(IDS)
    for letters, tensor in [
        ("(B, n)", IDS),
        ("(n, d)", embeddings.position.weight[:5]),
        ("(V, d)", embeddings.token.weight),
        ("(B, n, V)", embeddings.logits(x)),
    ]:
        assert texts(ax).count(f"{letters}\n{tuple(tensor.shape)}") == 1
    # Token vectors, their sum with the positions, and the hidden vectors.
    assert texts(ax).count(f"(B, n, d)\n{tuple(x.shape)}") == 3
    names = "ids", "token vectors", "position vectors", "input", "hidden vectors", "logits"
    assert [text for text in texts(ax) if text in names] == [*names]


def test_flow_draws_the_first_sequence_the_rows_of_both_tables_and_their_sum() -> None:
    embeddings, ax = flow()
    heights = {label.get_text(): label.get_position()[1] for label in ax.texts}
    token = embeddings.token.weight.detach()[IDS[0]]
    position = embeddings.position.weight.detach()[:5]
    scale = float(max(token.abs().max(), position.abs().max()))  # one for all three
    drawn = np.array(strips(ax)).reshape(5, 3, 6)
    parts = zip(COLORS, (token, position, token + position), strict=True)
    for column, (color, vectors) in enumerate(parts):
        shown = numbers(drawn[:, column].flatten(), color, scale)
        expected = vectors[:, :6].clamp(-scale, scale).flatten().tolist()
        assert shown == pytest.approx(expected, abs=1e-6)
    for place, token_id in enumerate(IDS[0].tolist()):
        assert heights[str(token_id)] == heights[str(place)]
        for cell in drawn[place].flatten():
            assert cell.get_center()[1] == pytest.approx(heights[str(place)])
        left_edges = [cell.get_x() for cell in drawn[place].flatten()]
        assert left_edges == sorted(left_edges)
    assert "46" not in heights  # it is on no sheet in front


@pytest.mark.parametrize("n_sequences", [1, 3])
def test_flow_has_a_sheet_a_sequence_but_one_of_positions(n_sequences: int) -> None:
    _, ax = flow(IDS[:n_sequences])
    edges = [to_rgba(cell.get_edgecolor()) for cell in cells(ax) if not is_filled(cell)]
    counts = [edges.count(to_rgba(color)) for color in (*COLORS, plots.BYTE)]
    # Ids and token vectors; positions; input; hidden vectors and logits.
    assert counts == [2 * n_sequences, 1, n_sequences, 2 * n_sequences]


@pytest.mark.parametrize(("d", "n_cells", "n_dots"), [(4, 4, 0), (6, 6, 0), (7, 6, 15)])
def test_flow_cuts_only_vectors_that_are_too_long(d: int, n_cells: int, n_dots: int) -> None:
    _, ax = flow(d=d)
    assert len(strips(ax)) == 15 * n_cells
    assert texts(ax).count("…") == n_dots


def test_tied_parameters_draws_each_part_as_its_share() -> None:
    models = {
        "small": {"token table": 38_597_376, "position table": 786_432, "rest": 85_056_000},
        "huge": {"token table": 40_000_000_000, "position table": 10**9, "rest": 59_000_000_000},
    }
    ax = plots.tied_parameters(models)
    for row, model in enumerate(models.values()):
        *parts, whole, second = cells(ax)[5 * row : 5 * row + 5]
        widths = [n / sum(model.values()) for n in model.values()]
        assert [bar.get_width() for bar in parts] == pytest.approx(widths)
        assert [bar.get_x() for bar in parts] == pytest.approx([0, *np.cumsum(widths)[:2]])
        for bar, hue in zip(parts, (plots.TOKEN, plots.POSITION, plots.BYTE), strict=True):
            assert 0 < strengths([bar], hue)[0] < 1
        assert (whole.get_x(), whole.get_width()) == (0, 1)
        assert to_rgba(whole.get_facecolor())[3] == 0  # it would hide the parts
        # The second table: behind the model, as long as the first, and open.
        assert second.get_x() == 1
        assert second.get_width() == pytest.approx(widths[0])
        assert not is_filled(second)
        assert second.get_linestyle() != "solid"
        assert {bar.get_center()[1] for bar in (*parts, whole, second)} == {row}
    assert [label.get_text() for label in ax.get_yticklabels()] == list(models)
    assert texts(ax)[:4] == ["124.4 M", "+ 38.6 M", "100,000.0 M", "+ 40,000.0 M"]
    assert [label.get_position()[1] for label in ax.texts[:4]] == [0, 0, 1, 1]
