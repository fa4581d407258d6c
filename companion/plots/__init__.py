"""The figures of the book, one function a figure.

Each function takes the objects that a chapter has built, draws them, and returns the `Axes`. Give
it an `ax` to draw into a figure of your own.

One colour has one meaning throughout the book: blue for tokens and their vectors, orange for
segments, green for positions, violet for their sum, grey for text and bytes. The four differ in
lightness as well as in hue, and a label or a place says the same as each colour.

The figures of a chapter lie in the module of its name; import them all from here.
"""

from companion.plots._drawing import BYTE, INK, INPUT, MUTED, POSITION, SEGMENT, TOKEN, WIDTH
from companion.plots.bert_input import pair_sum, vector_lengths
from companion.plots.bpe import derivation_tree, merge_ladder, tokens_per_merge
from companion.plots.bytes import bytes_per_character, utf8_layout
from companion.plots.choosing import length_by_vocabulary, parameter_shares, tokens_per_character
from companion.plots.gpt2_input import gpt2_flow, tied_parameters
from companion.plots.gpt2_tokenizer import byte_alphabet, id_ranges
from companion.plots.positions import change_by_depth, token_in_windows, two_orders
from companion.plots.relative_positions import (
    bias_matrices,
    bucket_stairs,
    model_map,
    products_by_distance,
    relative_matrix,
    rotating_pairs,
)
from companion.plots.sinusoids import (
    bits_and_waves,
    cosines_by_distance,
    cosines_by_width,
    position_products,
    position_waves,
    recovery_by_scale,
)
from companion.plots.token_embeddings import (
    first_loss,
    one_hot_product,
    table_gradient,
    table_lookup,
)
from companion.plots.training import (
    gradient_step,
    loss_curves,
    nearest_rows,
    position_similarity,
    row_map,
    rows_moved,
)
from companion.plots.unigram import cuts_side_by_side, lattice, vocabulary_cost
from companion.plots.windows import padded_batch, window_bricks, window_coverage
from companion.plots.wordpiece import greedy_scan, merges_side_by_side
from companion.plots.words import rank_frequency, sentence_path, text_to_ids, vocabulary_growth

__all__ = [
    "BYTE",
    "INK",
    "INPUT",
    "MUTED",
    "POSITION",
    "SEGMENT",
    "TOKEN",
    "WIDTH",
    "bias_matrices",
    "bits_and_waves",
    "bucket_stairs",
    "byte_alphabet",
    "bytes_per_character",
    "change_by_depth",
    "cosines_by_distance",
    "cosines_by_width",
    "cuts_side_by_side",
    "derivation_tree",
    "first_loss",
    "gpt2_flow",
    "gradient_step",
    "greedy_scan",
    "id_ranges",
    "lattice",
    "length_by_vocabulary",
    "loss_curves",
    "merge_ladder",
    "merges_side_by_side",
    "model_map",
    "nearest_rows",
    "one_hot_product",
    "padded_batch",
    "pair_sum",
    "parameter_shares",
    "position_products",
    "position_similarity",
    "position_waves",
    "products_by_distance",
    "rank_frequency",
    "recovery_by_scale",
    "relative_matrix",
    "rotating_pairs",
    "row_map",
    "rows_moved",
    "sentence_path",
    "table_gradient",
    "table_lookup",
    "text_to_ids",
    "tied_parameters",
    "token_in_windows",
    "tokens_per_character",
    "tokens_per_merge",
    "two_orders",
    "utf8_layout",
    "vector_lengths",
    "vocabulary_cost",
    "vocabulary_growth",
    "window_bricks",
    "window_coverage",
]
