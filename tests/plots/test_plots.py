import doctest
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from figure_checks import check_readable
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from companion import plots
from companion.embeddings import GPT2Embeddings
from companion.story import SENTENCE, load_story
from companion.windows import SlidingWindows
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab, tokenize

TOKENIZER = WordTokenizer(build_vocab(load_story()))
TOKENS = tokenize(load_story())
DIGITS = [[p >> i & 1 for i in range(4)] for p in range(16)]
WAVES = np.cos(np.arange(64)[:, None] * 0.75 ** np.arange(64))
SHARES = {0.01: (0.0, 1.0), 0.1: (0.6, 1.0), 1.0: (1.0, 0.97), 4.0: (1.0, 0.33)}
PAIR = bert_uncased().encode_pair("what is ai?", "ai means artificial intelligence.")
BERT_TABLES = [
    np.random.default_rng(0).normal(size=(rows, 8)) for rows in (bert_uncased().n_vocab, 2, 12)
]
PLACES = np.arange(10)
DISTANCE = abs(PLACES[:, None] - PLACES)
WORDS = ["Once", "upon", "a", "time", "there", "were", "four", "little", "Rabb", "its"]
TURNS = PLACES[:6, None] * [1.0, 0.1, 0.01, 0.001]
MODELS = {
    "Transformer base": (2017, "added", "sinusoids"),
    "T5 small": (2019, "bias", "32 buckets"),
    "ModernBERT base": (2024, "rotation", "base 160,000"),
}
TABLES = np.linspace(-1, 1, 348 * 8).reshape(348, 8), np.linspace(1, -1, 72).reshape(9, 8)
SMALL = np.linspace(-2, 2, 40).reshape(10, 4)
LOSSES = {0.001: 10.82, 0.02: 10.98, 0.1: 14.8, 1.0: 119.1}
EMBEDDINGS = GPT2Embeddings(vocab_size=50257, context_size=8, d_model=16)
IDS = torch.tensor([[7454, 2402, 257, 640, 612], [257, 640, 612, 547, 1440]])
LEDGER = {
    "small": {"token table": 38_597_376, "position table": 786_432, "rest": 85_056_000},
    "XL": {"token table": 80_411_200, "position table": 1_638_400, "rest": 1_475_561_600},
}

DRAW: dict[str, Callable[..., Axes]] = {
    "text_to_ids": lambda ax=None: plots.text_to_ids(SENTENCE, TOKENIZER, ax=ax),
    "vocabulary_growth": lambda ax=None: plots.vocabulary_growth(TOKENS, ax=ax),
    "rank_frequency": lambda ax=None: plots.rank_frequency(TOKENS, ax=ax),
    "bits_and_waves": lambda ax=None: plots.bits_and_waves(
        DIGITS, lambda x, period: -np.sin(2 * np.pi * np.asarray(x) / period), ax=ax
    ),
    "position_waves": lambda ax=None: plots.position_waves(
        WAVES, 6.2832 * 1.3335 ** np.arange(32), ax=ax
    ),
    "position_products": lambda ax=None: plots.position_products(WAVES, ax=ax),
    "cosines_by_distance": lambda ax=None: plots.cosines_by_distance(
        {"d = 768": WAVES, "d = 64": WAVES[:40, :32]}, ax=ax
    ),
    "cosines_by_width": lambda ax=None: plots.cosines_by_width(
        {4: WAVES[:, 0], 64: WAVES[:, 1] / 4, 768: WAVES[:, 2] / 16}, ax=ax
    ),
    "recovery_by_scale": lambda ax=None: plots.recovery_by_scale(
        SHARES, {"0.02": 0.02, "1/√d": 768**-0.5, "1": 1.0}, ax=ax
    ),
    "sentence_path": lambda ax=None: plots.sentence_path(SENTENCE, TOKENIZER, *TABLES, ax=ax),
    "two_orders": lambda ax=None: plots.two_orders(
        [" you", " eat", " fish"], [2, 1, 0], np.eye(3), np.eye(3)[::-1] * [1, 2, 1], ax=ax
    ),
    "change_by_depth": lambda ax=None: plots.change_by_depth(
        SENTENCE.replace("bits", " bits").split(), (2, 3), {"mask": np.eye(3, 10)}, ax=ax
    ),
    "token_in_windows": lambda ax=None: plots.token_in_windows(
        SlidingWindows(range(40, 50), 5, 2), 44, *TABLES, ax=ax
    ),
    "one_hot_product": lambda ax=None: plots.one_hot_product([2, 3, 5], SMALL, ax=ax),
    "table_lookup": lambda ax=None: plots.table_lookup([71, 8, 234, 5], TABLES[0], ax=ax),
    "table_gradient": lambda ax=None: plots.table_gradient([2, 3, 5], SMALL[:3], SMALL, ax=ax),
    "first_loss": lambda ax=None: plots.first_loss(LOSSES, 50257, {0.02: "GPT-2"}, ax=ax),
    "gpt2_flow": lambda ax=None: plots.gpt2_flow(EMBEDDINGS, IDS, ax=ax),
    "tied_parameters": lambda ax=None: plots.tied_parameters(LEDGER, ax=ax),
    "pair_sum": lambda ax=None: plots.pair_sum(PAIR, *BERT_TABLES, ax=ax),
    "vector_lengths": lambda ax=None: plots.vector_lengths(
        BERT_TABLES[2] / 30, BERT_TABLES[2], PAIR.tokens, ax=ax
    ),
}
ROWS = np.random.default_rng(0).normal(size=(2, 40, 8))
BEFORE_AND_AFTER = {"before": ROWS[0], "after": ROWS[1]}
NAMES = dict(enumerate(TOKENIZER.vocab))
STEP = ROWS[0, :3, :2], ROWS[1, :3, :2]
DRAW |= {
    "gradient_step": lambda ax=None: plots.gradient_step(*STEP, ["read", "no", "yes"], ax=ax),
    "loss_curves": lambda ax=None: plots.loss_curves(
        {"training": {0: 5.9, 100: 1.8}, "held out": {0: 5.9, 100: 5.2}}, {"alike": 5.9}, ax=ax
    ),
    "rows_moved": lambda ax=None: plots.rows_moved(
        range(40), {"tied": 1 + ROWS[0, :, 0] / 9, "untied": ROWS[0, :, 1] ** 2 / 9}, ax=ax
    ),
    "nearest_rows": lambda ax=None: plots.nearest_rows(
        BEFORE_AND_AFTER, [13, 17], range(40), NAMES, ax=ax
    ),
    "row_map": lambda ax=None: plots.row_map(
        BEFORE_AND_AFTER,
        {"first": {NAMES[i]: i for i in range(13, 18)}, "second": {NAMES[i]: i for i in (30, 33)}},
        range(40),
        ax=ax,
    ),
    "position_similarity": lambda ax=None: plots.position_similarity(
        {**BEFORE_AND_AFTER, "in two\nlines": ROWS[0, :16]}, ax=ax
    ),
    "relative_matrix": lambda ax=None: plots.relative_matrix(DISTANCE + 16, WORDS, ax=ax),
    "bucket_stairs": lambda ax=None: plots.bucket_stairs(
        PLACES, {"encoder, both sides": PLACES // 2, "decoder, before": 9 - PLACES}, ax=ax
    ),
    "bias_matrices": lambda ax=None: plots.bias_matrices(
        {f"head {head}, slope 1/{2**head}": -DISTANCE / 2**head for head in (1, 3, 5)}, WORDS, ax=ax
    ),
    "rotating_pairs": lambda ax=None: plots.rotating_pairs(
        np.stack([np.cos(TURNS), np.sin(TURNS)], axis=-1).reshape(6, 8), ax=ax
    ),
    "products_by_distance": lambda ax=None: plots.products_by_distance(
        PLACES, {"falling": 0.9**PLACES, "level": np.ones(10)}, ax=ax
    ),
    "model_map": lambda ax=None: plots.model_map(MODELS, ax=ax),
}


def example(name: str) -> Callable[..., Axes]:
    """Draw what the docstring of a figure draws: the names of its example, `ax` among them."""

    def draw(ax: None = None) -> Axes:
        (found,) = doctest.DocTestFinder(recurse=False).find(getattr(plots, name), globs={})
        done = doctest.DocTestRunner(verbose=False).run(found, clear_globs=False)
        assert done.attempted > 1, f"{name} needs an example that draws it as ax"
        assert not done.failed
        drawn: Axes = found.globs["ax"]
        return drawn

    return draw


# Each figure as its docstring draws it, so that a new one needs no entry here; and some as large as
# in the book, where letters are most likely to meet.
EXAMPLES = {f"example of {n}": example(n) for n in plots.__all__ if callable(getattr(plots, n))}
EACH = pytest.mark.parametrize("draw", [*DRAW.values(), *EXAMPLES.values()], ids=[*DRAW, *EXAMPLES])


@pytest.fixture(autouse=True)
def _close_figures() -> object:
    mpl.use("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_a_figure_is_drawn_in_the_given_axes_or_in_new_ones(draw: Callable[..., Axes]) -> None:
    mine = plt.figure().add_subplot()
    assert draw(ax=mine) is mine
    assert draw() is not mine


@EACH
def test_a_figure_can_be_read_and_leaves_the_style_of_others_alone(
    draw: Callable[..., Axes],
) -> None:
    """One width, every character in its fonts, and no text over another or outside."""
    before = dict(mpl.rcParams)
    ax = draw()
    assert dict(mpl.rcParams) == before
    assert ax.figure.get_figwidth() == plots.WIDTH
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.draw()
    check_readable(ax)


def test_figures_are_found_by_the_modules_of_their_chapters() -> None:
    folder = Path(plots.__file__).parent
    modules = [import_module(f"companion.plots.{p.stem}") for p in folder.glob("[!_]*.py")]
    listed = [name for module in modules for name in module.__all__]
    assert len(listed) > 40
    assert sorted(listed) == sorted(n for n in plots.__all__ if not n.isupper())
    assert set(plots.__all__) <= set(dir(plots))
    for module in modules:
        for name in module.__all__:
            assert getattr(plots, name) is getattr(module, name)
    with pytest.raises(AttributeError, match=r"'companion\.plots' has no attribute 'nothing'"):
        plots.nothing  # noqa: B018


def test_a_chapter_loads_only_its_own_figures() -> None:
    code = "import sys; from companion.plots import text_to_ids; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert {name for name in loaded if name.startswith("companion.plots.")} == {
        "companion.plots._drawing",
        "companion.plots.words",
    }


def luminance(color: str) -> float:
    """Relative luminance as WCAG defines it."""
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


@pytest.mark.parametrize("name", ["TOKEN", "SEGMENT", "POSITION", "INPUT", "BYTE", "INK", "MUTED"])
def test_each_colour_can_be_read_on_white(name: str) -> None:
    assert 1.05 / (luminance(getattr(plots, name)) + 0.05) >= 4.5
