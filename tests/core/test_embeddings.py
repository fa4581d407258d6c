"""The inputs of GPT-2 and BERT: equal to those of transformers, and to what they are made of."""

import functools
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
import torch
import transformers  # its models take seconds to load: each is named where it is used
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from companion import _weights
from companion.embeddings import BertEmbeddings, GPT2Embeddings, one_hot_lookup

assert_near = functools.partial(torch.testing.assert_close, rtol=0, atol=1e-6)
SMALL_GPT2 = {"vocab_size": 50, "context_size": 16, "d_model": 12}
SMALL_BERT = {"vocab_size": 50, "max_positions": 16, "d_model": 12}


# --- one-hot --------------------------------------------------------------------------------------


@given(
    shape=st.lists(st.integers(1, 4), min_size=0, max_size=3),
    rows=st.integers(1, 9),
    width=st.integers(1, 5),
    seed=st.integers(0, 999),
)
def test_a_lookup_is_one_hot_times_the_table(
    shape: list[int], rows: int, width: int, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(rows, shape, generator=generator)
    table = torch.randn(rows, width, generator=generator).requires_grad_()
    outer = torch.randn(*shape, width, generator=generator)

    vectors = one_hot_lookup(ids, table)
    assert torch.equal(vectors, table[ids])
    (gradient,) = torch.autograd.grad(vectors, table, outer)
    (expected,) = torch.autograd.grad(nn.functional.embedding(ids, table), table, outer)
    torch.testing.assert_close(gradient, expected)


def test_numbers_that_are_not_finite_stay_in_their_rows() -> None:
    table = torch.tensor([[1.0, 2.0], [torch.inf, 3.0], [-torch.inf, torch.nan]])
    table.requires_grad_()
    ids = torch.tensor([[0, 1], [2, 0]])
    vectors = one_hot_lookup(ids, table)
    torch.testing.assert_close(vectors, table[ids], rtol=0, atol=0, equal_nan=True)
    (gradient,) = torch.autograd.grad(vectors, table, torch.ones(2, 2, 2))
    assert gradient.tolist() == [[2, 2], [1, 1], [1, 1]]


# --- parity with transformers ---------------------------------------------------------------------


def hugging_face_bert(model: str = "BertModel", **sizes: Any) -> Any:
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=12, max_position_embeddings=16, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=8, **sizes,
    )  # fmt: skip
    return _shaken(getattr(transformers, model)(config))


def hugging_face_gpt2(model: str = "GPT2Model") -> Any:
    config = transformers.GPT2Config(vocab_size=50, n_embd=12, n_positions=16, n_layer=1, n_head=2)
    return _shaken(getattr(transformers, model)(config))


def _shaken(model: Any) -> Any:
    """Random weights everywhere: LayerNorm starts at one and zero, which would hide a mistake."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def gpt2_input(model: Any, **inputs: Tensor) -> Tensor:
    """What transformers gives to the first layer of GPT-2."""
    caught: list[Tensor] = []
    hook = model.h[0].register_forward_pre_hook(lambda _, args: caught.append(args[0]))
    model(**inputs)
    hook.remove()
    return caught[0]


def gradient_of(tensor: Tensor) -> Tensor:
    assert tensor.grad is not None
    return tensor.grad


def bert_from(model: Any, **sizes: Any) -> BertEmbeddings:
    theirs, ours = model.embeddings, BertEmbeddings(**sizes)
    ours.load_state_dict(
        {
            "token.weight": theirs.word_embeddings.weight,
            "position.weight": theirs.position_embeddings.weight,
            "segment.weight": theirs.token_type_embeddings.weight,
            "norm.weight": theirs.LayerNorm.weight,
            "norm.bias": theirs.LayerNorm.bias,
        }
    )
    return ours


def gpt2_from(model: Any, **sizes: Any) -> GPT2Embeddings:
    ours = GPT2Embeddings(**sizes)
    ours.load_state_dict({"token.weight": model.wte.weight, "position.weight": model.wpe.weight})
    return ours


@settings(max_examples=40, deadline=None)
@given(
    batch=st.integers(1, 4),
    n=st.integers(1, 16),
    n_segments=st.integers(1, 4),
    with_segments=st.booleans(),
    training=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_bert_equals_transformers_forward_and_backward(
    batch: int, n: int, n_segments: int, with_segments: bool, training: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    model = hugging_face_bert(type_vocab_size=n_segments)
    theirs = model.embeddings.train(training)
    ours = bert_from(model, **SMALL_BERT, n_segments=n_segments).train(training)
    ids = torch.randint(50, (batch, n))
    segment_ids = torch.randint(n_segments, (batch, n)) if with_segments else None
    outer = torch.randn(batch, n, 12)

    torch.manual_seed(seed)  # the same places drop out
    expected = theirs(ids, token_type_ids=segment_ids)
    torch.manual_seed(seed)
    vectors = ours(ids, segment_ids)
    assert_near(vectors, expected)

    (expected * outer).sum().backward()
    (vectors * outer).sum().backward()
    for our_part, their_part in [
        (ours.token, theirs.word_embeddings),
        (ours.position, theirs.position_embeddings),
        (ours.segment, theirs.token_type_embeddings),
        (ours.norm, theirs.LayerNorm),
    ]:
        for ours_, theirs_ in zip(our_part.parameters(), their_part.parameters(), strict=True):
            # To a millionth of the gradient's size: in single numbers large terms may cancel.
            scale = max(1.0, gradient_of(theirs_).abs().max().item())
            torch.testing.assert_close(ours_.grad, theirs_.grad, rtol=0, atol=1e-6 * scale)
    assert not gradient_of(ours.token.weight)[0].any()  # the padding row never learns


@settings(max_examples=40, deadline=None)
@given(
    batch=st.integers(1, 4),
    n=st.integers(1, 16),
    training=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_gpt2_equals_transformers_forward_and_backward(
    batch: int, n: int, training: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    theirs = hugging_face_gpt2().train(training)
    ours = gpt2_from(theirs, **SMALL_GPT2).train(training)
    ids = torch.randint(50, (batch, n))
    outer = torch.randn(batch, n, 12)

    torch.manual_seed(seed)
    expected: Any = gpt2_input(theirs, input_ids=ids)
    torch.manual_seed(seed)
    vectors = ours(ids)
    assert_near(vectors, expected)

    (expected * outer).sum().backward()
    (vectors * outer).sum().backward()
    assert_near(ours.token.weight.grad, theirs.wte.weight.grad)
    assert_near(ours.position.weight.grad, theirs.wpe.weight.grad)


def test_without_sizes_they_are_those_of_published_models() -> None:
    with torch.device("meta"):  # shapes without numbers: loading compares them
        gpt2 = gpt2_from(transformers.GPT2Model(transformers.GPT2Config(n_layer=0)))
        bert = bert_from(transformers.BertModel(transformers.BertConfig(num_hidden_layers=0)))
    assert (bert.norm.eps, bert.token.padding_idx, bert.dropout.p, gpt2.dropout.p) == (
        1e-12, 0, 0.1, 0.1,
    )  # fmt: skip


def test_at_full_width_and_length_they_equal_transformers() -> None:
    torch.manual_seed(0)
    model: Any = transformers.GPT2Model(
        transformers.GPT2Config(vocab_size=50, n_layer=1, n_inner=1)
    )
    model.eval()
    gpt2 = gpt2_from(model, vocab_size=50).eval()
    ids = torch.randint(50, (1, 1024))
    with torch.no_grad():
        assert torch.equal(gpt2(ids), gpt2_input(model, input_ids=ids))

    model = transformers.BertModel(transformers.BertConfig(vocab_size=50, num_hidden_layers=0))
    model.eval()
    bert = bert_from(model, vocab_size=50).eval()
    ids, segment_ids = torch.randint(50, (2, 512)), torch.randint(2, (2, 512))
    with torch.no_grad():
        expected = model.embeddings(ids, token_type_ids=segment_ids)
        # At width 768 the numbers after LayerNorm reach 5: a few units of their last place.
        torch.testing.assert_close(bert(ids, segment_ids), expected, rtol=1e-6, atol=1e-6)


def test_positions_of_a_batch_padded_on_the_left_equal_those_of_transformers() -> None:
    torch.manual_seed(0)
    model = hugging_face_gpt2().eval()
    ours = gpt2_from(model, **SMALL_GPT2).eval()
    ids = torch.tensor([[0, 0, 7, 8, 9], [1, 2, 3, 4, 5]])
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    vectors = ours(ids, positions)
    expected = gpt2_input(model, input_ids=ids, attention_mask=mask, position_ids=positions)
    assert_near(vectors, expected)
    assert torch.equal(vectors[0, 2:], ours(torch.tensor([7, 8, 9])))


def test_logits_equal_those_of_transformers() -> None:
    torch.manual_seed(0)
    model = hugging_face_gpt2("GPT2LMHeadModel")
    hidden = torch.randn(2, 3, 12)
    ours = gpt2_from(model.transformer, **SMALL_GPT2)
    logits = ours.logits(hidden)
    assert_near(logits, model.lm_head(hidden))
    assert_near(ours.logits(hidden[0, 1]), logits[0, 1])


# --- what they are made of ------------------------------------------------------------------------


def test_ids_of_any_shape_and_type() -> None:
    torch.manual_seed(0)
    embeddings = GPT2Embeddings(**SMALL_GPT2).eval()
    ids = torch.tensor([[3, 1, 3], [0, 49, 2]])
    vectors = embeddings(ids)
    assert torch.equal(vectors, embeddings.token.weight[ids] + embeddings.position.weight[:3])
    assert torch.equal(embeddings(ids[0]), vectors[0])
    assert torch.equal(embeddings(ids[None]), vectors[None])
    assert torch.equal(embeddings(ids.to(torch.uint8)), vectors)
    assert torch.equal(embeddings(ids.int()), vectors)


def test_the_tables_keep_their_numbers() -> None:
    """The sum is made in place, but not in a table, even where one lookup is a whole table."""
    torch.manual_seed(0)
    embeddings = GPT2Embeddings(vocab_size=4, context_size=4, d_model=3, dropout=0).train()
    bert = BertEmbeddings(vocab_size=4, max_positions=4, d_model=3, dropout=0).train()
    before = [p.detach().clone() for m in (embeddings, bert) for p in m.parameters()]
    ids = torch.arange(4)
    embeddings(ids), embeddings(ids, ids), bert(ids), bert(ids, torch.tensor([0, 0, 1, 1]), ids)
    after = [p for m in (embeddings, bert) for p in m.parameters()]
    assert all(torch.equal(a, b) for a, b in zip(after, before, strict=True))


def test_segment_ids_reach_a_batch_in_every_form() -> None:
    torch.manual_seed(0)
    bert = BertEmbeddings(**SMALL_BERT).eval()
    ids = torch.randint(50, (3, 5))
    segments = torch.tensor([0, 0, 0, 1, 1])
    expected = bert(ids, segments.expand(3, 5).clone())
    assert torch.equal(bert(ids, segments), expected)
    assert torch.equal(bert(ids, segments[None]), expected)
    assert torch.equal(bert(ids), bert(ids, torch.zeros(5, dtype=torch.int64)))
    assert torch.equal(bert(ids, segments, torch.arange(5)), expected)
    assert not torch.equal(bert(ids), expected)


def test_initial_scales() -> None:
    torch.manual_seed(0)
    gpt2 = GPT2Embeddings(vocab_size=1_000, context_size=1_000, d_model=500)
    assert abs(gpt2.token.weight.std().item() - 0.02) < 1e-4
    assert abs(gpt2.position.weight.std().item() - 0.01) < 1e-4
    bert = BertEmbeddings(vocab_size=1_000, max_positions=1_000, n_segments=1_000, d_model=500)
    for table in (bert.token, bert.position, bert.segment):
        assert abs(table.weight.mean().item()) < 1e-4
        # Cut off at two standard deviations, a normal distribution keeps 0.8796 of its spread.
        assert abs(table.weight.std().item() - 0.02 * 0.8796) < 1e-4
        assert -0.04 <= table.weight.min() < -0.0399
        assert 0.0399 < table.weight.max() <= 0.04
    assert not bert.token.weight[0].any()
    assert bert.position.weight[0].any()
    assert bert.segment.weight[0].any()
    assert BertEmbeddings(**SMALL_BERT, padding_id=None).token.weight[0].any()
    assert not BertEmbeddings(**SMALL_BERT, padding_id=7).token.weight[7].any()


def test_half_precision() -> None:
    torch.manual_seed(0)
    bert = BertEmbeddings(**SMALL_BERT).eval()
    ids, segment_ids = torch.randint(50, (2, 7)), torch.randint(2, (2, 7))
    expected = bert(ids, segment_ids)
    vectors = bert.bfloat16()(ids, segment_ids)
    assert vectors.dtype == torch.bfloat16
    torch.testing.assert_close(vectors.float(), expected, rtol=0.05, atol=0.05)


# --- refusals -------------------------------------------------------------------------------------


def on_meta(ids: list[int]) -> Tensor:
    return torch.tensor(ids, device="meta")


def looked_up(ids: Any) -> Callable[[], object]:
    return lambda: one_hot_lookup(ids, torch.ones(3, 2))


def gpt2(*inputs: Any, **sizes: Any) -> Callable[[], object]:
    return lambda: GPT2Embeddings(**SMALL_GPT2 | sizes)(*inputs)


def bert(*inputs: Any, **sizes: Any) -> Callable[[], object]:
    return lambda: BertEmbeddings(**SMALL_BERT | sizes)(*inputs)


def logits(*shape: int) -> Callable[[], object]:
    return lambda: GPT2Embeddings(**SMALL_GPT2).logits(torch.zeros(shape))


IDS = torch.zeros(2, 3, dtype=torch.int64)
NO_INTEGERS = "ids must be a tensor of integers, not"
USE_LONG = "; if its numbers are whole, use ids.long()"
NO_FIT = "do not fit ids of shape (2, 3); give one number for each id"
NO_HIDDEN = "; its last dimension must be d_model = 12"


@pytest.mark.parametrize(
    ("calls", "error", "message"),
    [
        (looked_up(torch.tensor([3])), IndexError,
         "ids[0] is 3, outside the token table of 3 rows (0 to 2)"),
        (looked_up(torch.tensor([[0, 2], [1, -1]])), IndexError,
         "ids[1, 1] is -1, outside the token table of 3 rows (0 to 2)"),
        (looked_up(torch.tensor(-1)), IndexError,
         "ids is -1, outside the token table of 3 rows (0 to 2)"),
        (looked_up(torch.tensor([], dtype=torch.int64)), ValueError,
         "ids of shape (0,) are empty; give at least one"),
        # What all three refuse in the same way is tried with one of them.
        (looked_up([1, 2]), TypeError, f"{NO_INTEGERS} list: [1, 2]; use torch.tensor(ids)"),
        (bert(torch.tensor([1.0])), TypeError, f"{NO_INTEGERS} of type torch.float32{USE_LONG}"),
        (gpt2(torch.tensor([True])), TypeError, f"{NO_INTEGERS} of type torch.bool{USE_LONG}"),
        (bert(torch.tensor([1j])), TypeError, f"{NO_INTEGERS} of type torch.complex64{USE_LONG}"),
        ([gpt2(torch.tensor(3)), bert(torch.tensor(3))], ValueError,
         "ids is a single number, 3; give a sequence: ids[None]"),
        ([gpt2(IDS[:0]), bert(IDS[:0])], ValueError,
         "ids of shape (0, 3) are empty; give at least one"),
        ([gpt2(torch.tensor([[0, 50]])), bert(torch.tensor([[0, 50]]))], IndexError,
         "ids[0, 1] is 50, outside the token table of 50 rows (0 to 49)"),
        (gpt2(torch.tensor([[0, 1], [-1, 50]])), IndexError,
         "ids[1, 0] is -1, outside the token table of 50 rows (0 to 49)"),
        (bert(torch.tensor([0, -1], dtype=torch.int8)), IndexError,
         "ids[1] is -1, outside the token table of 50 rows (0 to 49)"),
        (gpt2(torch.tensor([0, 2**62])), IndexError,
         f"ids[1] is {2**62}, outside the token table of 50 rows (0 to 49)"),
        (bert(torch.tensor([2**64 - 1], dtype=torch.uint64)), IndexError,
         f"ids[0] is {2**64 - 1}, outside the token table of 50 rows (0 to 49)"),
        ([gpt2(torch.zeros(2, 17).long()), bert(torch.zeros(2, 17).long())], ValueError,
         "a sequence of 17 ids is longer than the position table of 16 rows; "
         "give at most 16 ids, or cut the sequence into windows"),
        (gpt2(on_meta([1, 2])), ValueError,
         "ids are on meta and the token table is on cpu; use ids.to('cpu')"),
        (bert(IDS, torch.tensor([0, 1, 2])), IndexError,
         "segment_ids[2] is 2, outside the segment table of 2 rows (0 to 1)"),
        (bert(IDS, torch.tensor([[0, 1, 1], [0, -1, 1]])), IndexError,
         "segment_ids[1, 1] is -1, outside the segment table of 2 rows (0 to 1)"),
        (bert(IDS, torch.tensor([0, 1])), ValueError, f"segment_ids of shape (2,) {NO_FIT}"),
        (bert(IDS, IDS[:, :1]), ValueError, f"segment_ids of shape (2, 1) {NO_FIT}"),
        (bert(IDS, torch.zeros(3, 3).long()), ValueError, f"segment_ids of shape (3, 3) {NO_FIT}"),
        (bert(IDS, IDS[None]), ValueError, f"segment_ids of shape (1, 2, 3) {NO_FIT}"),
        (bert(IDS, [0, 0, 1]), TypeError, "segment_ids must be a tensor of integers, "
         "not list: [0, 0, 1]; use torch.tensor(segment_ids)"),
        ([gpt2(IDS, torch.tensor([0, 1, 16])), bert(IDS, None, torch.tensor([0, 1, 16]))],
         IndexError, "positions[2] is 16, outside the position table of 16 rows (0 to 15)"),
        (gpt2(IDS, torch.tensor([-1, 0, 1])), IndexError,
         "positions[0] is -1, outside the position table of 16 rows (0 to 15)"),
        ([gpt2(IDS, torch.arange(4)), bert(IDS, None, torch.arange(4))], ValueError,
         f"positions of shape (4,) {NO_FIT}"),
        ([gpt2(vocab_size=0), bert(vocab_size=0)], ValueError,
         "vocab_size is 0; it must be at least 1"),
        (gpt2(context_size=-1), ValueError, "context_size is -1; it must be at least 1"),
        (gpt2(d_model=7.5), TypeError, "d_model must be an integer, not float: 7.5"),
        (bert(d_model=0), ValueError, "d_model is 0; it must be at least 1"),
        (bert(max_positions=0), ValueError, "max_positions is 0; it must be at least 1"),
        (bert(n_segments=0), ValueError, "n_segments is 0; it must be at least 1"),
        (bert(vocab_size=5, padding_id=5), ValueError,
         "padding_id 5 is outside the token table of 5 rows (0 to 4)"),
        (bert(padding_id=-1), ValueError, "padding_id is -1; it must be at least 0"),
        ([gpt2(dropout=1.5), bert(dropout=1.5)], ValueError,
         "dropout probability has to be between 0 and 1, but got 1.5"),
        (logits(2, 11), ValueError, f"hidden has shape (2, 11){NO_HIDDEN}"),
        (logits(13), ValueError, f"hidden has shape (13,){NO_HIDDEN}"),
        (logits(), ValueError, f"hidden has shape (){NO_HIDDEN}"),
    ],
)  # fmt: skip
def test_refuses(calls: Any, error: type[Exception], message: str) -> None:
    for call in calls if isinstance(calls, list) else [calls]:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            call()


def test_an_index_error_of_a_hook_is_not_taken_for_a_wrong_id() -> None:
    embeddings = GPT2Embeddings(**SMALL_GPT2)

    def hook(*_: object) -> None:
        raise IndexError("of the hook")

    embeddings.token.register_forward_hook(hook)
    with pytest.raises(IndexError, match="of the hook"):
        embeddings(IDS)


# --- compiled -------------------------------------------------------------------------------------

GPT2 = functools.partial(GPT2Embeddings, **SMALL_GPT2)
BERT = functools.partial(BertEmbeddings, **SMALL_BERT)


@pytest.mark.parametrize(
    ("make", "training", "others"),
    [
        (GPT2, False, ()),
        (GPT2, True, (torch.arange(7),)),
        (BERT, True, ()),
        (BERT, False, (torch.tensor([0, 0, 0, 0, 1, 1, 1]),)),
        (BERT, True, (None, torch.arange(7).expand(2, 7))),
    ],
    ids=["gpt2", "gpt2-positions", "bert", "bert-segments", "bert-positions"],
)
@pytest.mark.outside_mutation
def test_compiled_it_is_one_graph_with_equal_values_and_gradients(
    make: Callable[..., nn.Module], training: bool, others: tuple[Any, ...]
) -> None:
    """With a backend that needs no C compiler: the graph is the same for all."""
    torch.manual_seed(0)
    module = make(dropout=0).train(training)
    ids = torch.randint(50, (2, 7))
    torch.compiler.reset()
    compiled: Any = torch.compile(module, fullgraph=True, backend="aot_eager")
    expected = module(ids, *others)
    vectors = compiled(ids, *others)
    assert torch.equal(vectors, expected)
    parameters = list(module.parameters())
    outer = torch.randn(2, 7, 12)
    for found, right in zip(
        torch.autograd.grad(vectors, parameters, outer, allow_unused=True),
        torch.autograd.grad(expected, parameters, outer, allow_unused=True),
        strict=True,
    ):
        torch.testing.assert_close(found, right, rtol=0, atol=1e-6)


@pytest.mark.outside_mutation
def test_compiled_torch_refuses_what_is_outside_a_table() -> None:
    torch.compiler.reset()
    compiled: Any = torch.compile(BERT().eval(), fullgraph=True, backend="aot_eager")
    for inputs in ((IDS + 50,), (IDS - 1,), (IDS, IDS + 2), (IDS, None, IDS + 16)):
        with pytest.raises(IndexError, match="index out of range in self"):
            compiled(*inputs)
    # Its lookups would take a mask for the ids 0 and 1.
    with pytest.raises(torch._dynamo.exc.Unsupported, match="must be a tensor of integers, not of"):
        compiled(IDS.bool())


def test_the_smallest_sizes() -> None:
    gpt2 = GPT2Embeddings(1, 1, 1, dropout=0)
    assert torch.equal(gpt2(torch.tensor([0])), gpt2.token.weight + gpt2.position.weight)
    bert = BertEmbeddings(1, 1, 1, 1, dropout=0)
    # Around its mean a single number is 0.
    assert bert(torch.tensor([0]), torch.tensor([0])).tolist() == [[0.0]]


# --- published weights ----------------------------------------------------------------------------

START = "embeddings."


def gpt2_weights(prefix: str = "") -> dict[str, Tensor]:
    return {
        f"{prefix}wte.weight": torch.randn(50, 12),
        f"{prefix}wpe.weight": torch.randn(16, 12),
        f"{prefix}h.0.attn.c_attn.weight": torch.randn(12, 36),
    }


def bert_weights(
    prefix: str = "", scale: str = "LayerNorm.weight", shift: str = "LayerNorm.bias"
) -> dict[str, Tensor]:
    start = f"{prefix}embeddings."
    return {
        f"{start}word_embeddings.weight": torch.randn(50, 12),
        f"{start}position_embeddings.weight": torch.randn(16, 12),
        f"{start}token_type_embeddings.weight": torch.randn(3, 12),
        f"{start}{scale}": torch.randn(12),
        f"{start}{shift}": torch.randn(12),
        f"{prefix}encoder.layer.0.output.dense.weight": torch.randn(12, 12),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("model", ["BertModel", "BertForMaskedLM", "GPT2Model", "GPT2LMHeadModel"])
def test_what_transformers_writes_is_read(model: str, tmp_path: Path, path: Path) -> None:
    torch.manual_seed(0)
    ids, segment_ids = torch.randint(50, (2, 9)), torch.randint(2, (2, 9))
    if model.startswith("Bert"):
        theirs = hugging_face_bert(model).eval()
        expected = theirs.base_model.embeddings(ids, token_type_ids=segment_ids)
        theirs.save_pretrained(tmp_path)
        assert_near(BertEmbeddings.from_safetensors(path).eval()(ids, segment_ids), expected)
    else:
        theirs = hugging_face_gpt2(model).eval()
        theirs.save_pretrained(tmp_path)
        expected = gpt2_input(theirs.base_model, input_ids=ids)
        assert_near(GPT2Embeddings.from_safetensors(path).eval()(ids), expected)


def test_gpt2_from_a_file_can_be_trained(path: Path) -> None:
    save_file(gpt2_weights(), path)
    module = GPT2Embeddings.from_safetensors(str(path), dropout=0.3)
    assert (module.training, module.dropout.p) == (True, 0.3)
    module(torch.tensor([1, 2])).sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters())


def test_bert_reads_older_names(path: Path) -> None:
    weights = bert_weights("bert.", "LayerNorm.gamma", "LayerNorm.beta")
    save_file(weights, path)
    module = BertEmbeddings.from_safetensors(path, dropout=0.2, eps=1e-5, padding_id=None)
    assert torch.equal(module.norm.weight, weights["bert.embeddings.LayerNorm.gamma"])
    assert torch.equal(module.norm.bias, weights["bert.embeddings.LayerNorm.beta"])
    assert (module.norm.eps, module.dropout.p, module.token.padding_idx) == (1e-5, 0.2, None)
    assert BertEmbeddings.from_safetensors(path).token.padding_idx == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_float_types_become_the_default_type(dtype: torch.dtype, path: Path) -> None:
    weights = {name: tensor.to(dtype) for name, tensor in gpt2_weights().items()}
    save_file(weights, path)
    module = GPT2Embeddings.from_safetensors(path)
    assert module.token.weight.dtype == torch.float32
    assert torch.equal(module.token.weight, weights["wte.weight"].float())
    torch.set_default_dtype(torch.float64)
    try:
        assert GPT2Embeddings.from_safetensors(path).token.weight.dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_tables_of_one_row(path: Path) -> None:
    """Some models know one kind of segment only."""
    save_file(bert_weights() | {f"{START}token_type_embeddings.weight": torch.ones(1, 12)}, path)
    assert BertEmbeddings.from_safetensors(path).segment.weight.tolist() == [[1.0] * 12]
    save_file({"wte.weight": torch.ones(1, 1), "wpe.weight": torch.ones(1, 1)}, path)
    assert GPT2Embeddings.from_safetensors(path)(torch.tensor([0])).shape == (1, 1)


def test_only_what_is_needed_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = bert_weights()
    save_file(weights, path)
    asked: list[str] = []

    @contextmanager
    def recorded(*args: Any, **options: Any) -> Iterator[Any]:
        with safe_open(*args, **options) as file:

            def get_tensor(name: str) -> Any:
                asked.append(name)
                return file.get_tensor(name)

            yield SimpleNamespace(keys=file.keys, get_tensor=get_tensor)

    monkeypatch.setattr(_weights, "safe_open", recorded)
    BertEmbeddings.from_safetensors(path)
    assert sorted(asked) == sorted(set(weights) - {"encoder.layer.0.output.dense.weight"})


def test_the_weights_are_a_copy(path: Path) -> None:
    weights = gpt2_weights()
    save_file(weights, path)
    module = GPT2Embeddings.from_safetensors(path)
    whole = path.read_bytes()
    with path.open("r+b") as file:  # the same file, not a new one under its name
        file.write(bytes(len(whole)))
    assert torch.equal(module.token.weight, weights["wte.weight"])
    path.write_bytes(whole)
    with torch.no_grad():
        module.token.weight.zero_()
    assert torch.equal(load_file(path)["wte.weight"], weights["wte.weight"])
    path.unlink()
    assert module(torch.tensor([1])).isfinite().all()


def test_reading_draws_no_random_numbers(path: Path) -> None:
    save_file(bert_weights(), path)
    torch.manual_seed(0)
    BertEmbeddings.from_safetensors(path)
    drawn = torch.rand(1)
    torch.manual_seed(0)
    assert torch.equal(torch.rand(1), drawn)


def without(missing: str) -> dict[str, Tensor]:
    weights = bert_weights("bert.")
    del weights[missing]
    return weights


TWO_MODELS = (
    "one of them with 'transformer.' before it; they may be of two models: give all names the "
    "prefix, or none"
)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (without("bert.embeddings.word_embeddings.weight"),
         "{} has no tensor embeddings.word_embeddings.weight, with or without 'bert.' before it; "
         "it has ['bert.embeddings.LayerNorm.bias', 'bert.e"),
        (without("bert.embeddings.LayerNorm.bias"),
         "{} has no tensor embeddings.LayerNorm.bias, with or without 'bert.' before it; it has "),
        ({"wte.weight": torch.ones(50, 12), "transformer.wpe.weight": torch.ones(16, 12)},
         f"{{}} has wte.weight and transformer.wpe.weight, {TWO_MODELS}"),
        ({"transformer.wte.weight": torch.ones(50, 12), "wpe.weight": torch.ones(16, 12)},
         f"{{}} has transformer.wte.weight and wpe.weight, {TWO_MODELS}"),
        (gpt2_weights() | gpt2_weights("transformer."),
         "{} has both wte.weight and transformer.wte.weight; keep the one you mean"),
    ],
)  # fmt: skip
def test_a_tensor_that_is_missing_or_there_twice(
    weights: dict[str, Tensor], message: str, path: Path
) -> None:
    save_file(weights, path)
    cls = GPT2Embeddings if any("wte" in name for name in weights) else BertEmbeddings
    with pytest.raises(ValueError, match=f"^{re.escape(message.format(path))}"):
        cls.from_safetensors(path)


@pytest.mark.parametrize(
    ("name", "tensor", "problem"),
    [
        ("position_embeddings.weight", torch.ones(16, 11), "has shape (16, 11){}(rows, 12)"),
        ("token_type_embeddings.weight", torch.ones(12), "has shape (12,){}(rows, 12)"),
        ("LayerNorm.weight", torch.ones(11), "has shape (11,){}(12,)"),
        ("LayerNorm.bias", torch.ones(12, 12), "has shape (12, 12){}(12,)"),
        ("word_embeddings.weight", torch.ones(12), "has shape (12,){}(rows, d_model)"),
        ("word_embeddings.weight", torch.ones(0, 12), "has shape (0, 12){}(rows, 12)"),
        ("word_embeddings.weight", torch.ones(50, 12, dtype=torch.int8),
         "is of type torch.int8; it must be of a float type"),
    ],
)  # fmt: skip
def test_a_wrong_tensor(name: str, tensor: Tensor, problem: str, path: Path) -> None:
    save_file(bert_weights() | {f"{START}{name}": tensor}, path)
    problem = problem.format("; beside its token table it must have ")
    with pytest.raises(ValueError, match=f"^{re.escape(f'{START}{name} in {path} {problem}')}$"):
        BertEmbeddings.from_safetensors(path)


def test_a_file_cut_short_anywhere(path: Path) -> None:
    save_file(gpt2_weights(), path)
    whole = path.read_bytes()
    for length in (0, 4, 8, 40, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} is not a whole safetensors "
                                             r"file \(.+\); fetch it again$"):  # fmt: skip
            GPT2Embeddings.from_safetensors(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        GPT2Embeddings.from_safetensors(path)


# --- from the Hub ---------------------------------------------------------------------------------

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_the_hub_is_asked_for_what_is_given(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    asked = []

    def download(*args: Any, **options: Any) -> str:
        asked.append((args, options))
        return str(path)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    save_file(gpt2_weights(), path)
    gpt2 = GPT2Embeddings.from_hub("tiny/gpt2", revision="v2", dropout=0.25)
    assert gpt2.dropout.p == 0.25
    assert GPT2Embeddings.from_hub("tiny/gpt2").dropout.p == 0.1
    save_file(bert_weights(), path)
    bert = BertEmbeddings.from_hub(
        "tiny/bert", revision=COMMIT, dropout=0.5, eps=1e-3, padding_id=7
    )
    assert (bert.dropout.p, bert.norm.eps, bert.token.padding_idx) == (0.5, 1e-3, 7)
    bert = BertEmbeddings.from_hub("tiny/bert")
    assert (bert.dropout.p, bert.norm.eps, bert.token.padding_idx) == (0.1, 1e-12, 0)
    assert asked == [
        (("tiny/gpt2", "model.safetensors"), {"revision": "v2"}),
        (("tiny/gpt2", "model.safetensors"), {"revision": None}),
        (("tiny/bert", "model.safetensors"), {"revision": COMMIT}),
        (("tiny/bert", "model.safetensors"), {"revision": None}),
    ]


def test_the_hub_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    message = "from_hub needs huggingface_hub: pip install 'text-to-vectors[pretrained]'"
    for cls in (GPT2Embeddings, BertEmbeddings):
        with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
            cls.from_hub("tiny/gpt2")
