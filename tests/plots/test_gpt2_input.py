"""The figures of the chapter `gpt2-input` show what the module holds and what the models cost."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import torch

mpl.use("agg")

from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb, to_rgba
from matplotlib.patches import Rectangle

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
def flow() -> Any:
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
        assert to_rgba(whole.get_facecolor())[3] == 0  # it would hide the parts
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
