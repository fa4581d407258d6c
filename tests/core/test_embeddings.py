"""The inputs of GPT-2 and BERT: equal to those of transformers, and to what they are made of."""

from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import huggingface_hub
import pytest
import torch
import transformers  # its models take seconds to load: each is named where it is used
from refusals import refused, refused_files
from safetensors.torch import load_file, save, save_file
from torch import Tensor, nn

from companion.embeddings import BertEmbeddings, GPT2Embeddings, one_hot_lookup

assert_near = partial(torch.testing.assert_close, rtol=1e-6, atol=1e-6)
IDS = torch.zeros(2, 3, dtype=torch.int64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("shape", [(), (3,), (2, 4)])
def test_a_lookup_is_one_hot_times_the_table(shape: tuple[int, ...]) -> None:
    ids, outer = torch.randint(9, shape), torch.randn(*shape, 5)
    table = torch.randn(9, 5, requires_grad=True)
    vectors = one_hot_lookup(ids, table)
    assert torch.equal(vectors, table[ids])
    (gradient,) = torch.autograd.grad(vectors, table, outer)
    (expected,) = torch.autograd.grad(nn.functional.embedding(ids, table), table, outer)
    torch.testing.assert_close(gradient, expected)
    with torch.no_grad():
        table[8] = torch.inf  # the product multiplies it by 0
    assert one_hot_lookup(torch.tensor([1]), table).isnan().all()


CONFIGS: dict[str, dict[str, Any]] = {
    "Bert": {"vocab_size": 50, "hidden_size": 12, "max_position_embeddings": 16,
             "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8},
    "GPT2": {"vocab_size": 50, "n_embd": 12, "n_positions": 16, "n_layer": 1, "n_head": 2},
}  # fmt: skip


def published(name: str, folder: Path) -> tuple[Any, Any]:
    """A model of transformers, and our layer from the file that it writes."""
    kind = name[:4]
    model = getattr(transformers, name)(getattr(transformers, f"{kind}Config")(**CONFIGS[kind]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)  # LayerNorm starts at one and zero, which hides a mistake
    model.save_pretrained(folder)
    cls: Any = {"Bert": BertEmbeddings, "GPT2": GPT2Embeddings}[kind]
    return model, cls.from_safetensors(folder)


def both_ways(ours: Any, theirs: Any, inputs: tuple[Any, ...], others: dict[str, Any]) -> Any:
    """Compare the vectors, and send the same gradients back."""
    torch.manual_seed(1)  # the same places drop out
    expected = theirs(inputs[0], **others)
    torch.manual_seed(1)
    vectors = ours(*inputs)
    assert_near(vectors, expected)
    outer = torch.randn_like(vectors)
    torch.autograd.backward([expected, vectors], [outer, outer])
    return vectors


@pytest.mark.parametrize("training", [False, True])
def test_bert_equals_transformers_forward_and_backward(training: bool, tmp_path: Path) -> None:
    model, ours = published("BertForMaskedLM", tmp_path)
    theirs = model.base_model.embeddings.train(training)
    ours.train(training)
    for n, with_segments in ((16, True), (5, False)):
        ids = torch.randint(50, (3, n))
        segment_ids = torch.randint(2, (3, n)) if with_segments else None
        both_ways(ours, theirs, (ids, segment_ids), {"token_type_ids": segment_ids})
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        # To a millionth of the gradient's size: in single numbers large terms may cancel.
        assert_near(mine.grad, other.grad, atol=1e-6 * max(1.0, other.grad.abs().max().item()))
    assert not ours.token.weight.grad[0].any()  # the padding row never learns


@pytest.mark.parametrize("training", [False, True])
def test_gpt2_equals_transformers_forward_and_backward(training: bool, tmp_path: Path) -> None:
    model, ours = published("GPT2LMHeadModel", tmp_path)
    model.train(training), ours.train(training)
    ids = torch.randint(50, (3, 16))

    def theirs(ids: Tensor, **inputs: Any) -> Any:
        return model(ids, output_hidden_states=True, **inputs).hidden_states[0]

    for positions in (None, torch.randint(16, (3, 16))):  # those of a batch padded on the left
        vectors = both_ways(ours, theirs, (ids, positions), {"position_ids": positions})
    assert_near(ours.token.weight.grad, model.base_model.wte.weight.grad)
    assert_near(ours.position.weight.grad, model.base_model.wpe.weight.grad)
    for hidden in (vectors, vectors[0, 1]):
        assert_near(ours.logits(hidden), model.lm_head(hidden))


def test_padded_on_the_left_transformers_counts_positions_only_in_generate(tmp_path: Path) -> None:
    """The chapter `positions` says so."""
    model, ours = published("GPT2LMHeadModel", tmp_path)
    model.eval(), ours.eval()
    ids, mask = torch.tensor([[0, 0, 5, 6, 7]]), torch.tensor([[0, 0, 1, 1, 1]])
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
    inputs = {"attention_mask": mask, "output_hidden_states": True}
    # 0, 1, 2, ... whatever the mask says
    assert_near(model(ids, **inputs).hidden_states[0], ours(ids))
    options = {"max_new_tokens": 1, "pad_token_id": 0, "return_dict_in_generate": True}
    generated = model.generate(ids, **inputs, **options).hidden_states[0][0]
    assert_near(generated, ours(ids, positions=positions))


def test_without_sizes_they_are_those_of_published_models() -> None:
    with torch.device("meta"):
        ours: list[Any] = [GPT2Embeddings(), BertEmbeddings()]
        gpt2: Any = transformers.GPT2Model(transformers.GPT2Config(n_layer=0))
        bert: Any = transformers.BertModel(transformers.BertConfig(num_hidden_layers=0)).embeddings
    shapes = [[table.shape for table in layer.parameters()] for layer in (*ours, gpt2, bert)]
    assert shapes[:2] == [shapes[2][:2], shapes[3]]  # transformers' GPT-2 ends with a LayerNorm
    assert (ours[1].norm.eps, ours[1].token.padding_idx) == (bert.LayerNorm.eps, 0)
    assert [layer.dropout.p for layer in ours] == [gpt2.drop.p, bert.dropout.p]


LAYERS: list[Any] = [
    GPT2Embeddings(50, 16, d_model=12).eval(), BertEmbeddings(50, 16, d_model=12).eval()
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_another_default_device(layer: Any, path: Path) -> None:
    save_file(gpt2_weights() if layer is LAYERS[0] else bert_weights(), path)
    expected = layer(IDS)
    with torch.device("meta"):
        assert torch.equal(layer(IDS), expected)
        for made in (type(layer)(), type(layer).from_safetensors(path)):
            tensors = [made(IDS.to("meta")), *made.parameters()]
            assert {tensor.device.type for tensor in tensors} == {"meta"}


def test_ids_and_segment_ids_in_every_form() -> None:
    ids, segments = torch.randint(50, (3, 5)), torch.tensor([0, 0, 0, 1, 1])
    expected = LAYERS[1](ids, segments.expand(3, 5).clone(), torch.arange(5))
    for same in (segments, segments[None], segments.to(torch.uint8)):
        assert torch.equal(LAYERS[1](ids, same), expected)
    assert torch.equal(LAYERS[1](ids.int()[0], segments), expected[0])
    assert torch.equal(LAYERS[1](ids), LAYERS[1](ids, torch.zeros(5, dtype=torch.int64)))


def test_initial_scales() -> None:
    torch.manual_seed(0)
    gpt2, bert = GPT2Embeddings(999, 999, d_model=500), BertEmbeddings(999, 999, 999, d_model=500)
    # Cut off at two standard deviations, a normal distribution keeps 0.8796 of its spread.
    cut = [(table, 0.02 * 0.8796) for table in (bert.token, bert.position, bert.segment)]
    for table, scale in ((gpt2.token, 0.02), (gpt2.position, 0.01), *cut):
        assert abs(table.weight.std().item() - scale) < 1e-4
    assert not bert.token.weight[0].any()  # the padding row


GPT2, BERT = LAYERS

test_what_is_refused = refused(
    [
        (lambda: one_hot_lookup(torch.tensor([0, -1]), torch.ones(3, 2)), IndexError, "ids[1] is "),
        # What both layers refuse in the same way is tried with one of them.
        (partial(GPT2, [1, 2]), TypeError, "a tensor of integers, not list: [1, 2]; use"),
        (partial(BERT, torch.tensor([1.0])), TypeError, "ids must be a tensor of integers, not"),
        (partial(BERT, IDS[0, 0]), ValueError, "ids is a single number"),
        (partial(GPT2, torch.tensor([[0, 1], [-1, 50]])), IndexError,
         "ids[1, 0] is -1, outside the token table of 50 rows (0 to 49)"),
        (partial(GPT2, torch.zeros(2, 17).long()), ValueError, "a sequence of 17 ids is longer"),
        (partial(BERT, IDS, torch.tensor([0, 1, 2])), IndexError, "segment_ids[2] is 2, outside"),
        (partial(BERT, IDS, IDS[:, :1]), ValueError,
         "segment_ids have shape (2, 1), which does not fit ids of shape (2, 3); give (3,) or (2,"),
        (partial(GPT2, IDS, torch.tensor([0, 1, 16])), IndexError, "positions[2] is 16, outside"),
    ]
)  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS)
def test_compiled_it_is_one_graph_with_equal_values_and_gradients(layer: Any) -> None:
    """With a backend that needs no C compiler: the graph is the same for all."""
    ids, segments = torch.randint(50, (2, 7)), torch.tensor([0, 0, 0, 0, 1, 1, 1])
    others = (torch.arange(7),) if layer is LAYERS[0] else (segments, torch.arange(7).expand(2, 7))
    torch.compiler.reset()
    compiled: Any = torch.compile(layer, fullgraph=True, backend="aot_eager")
    expected, vectors = layer(ids, *others), compiled(ids, *others)
    assert torch.equal(vectors, expected)
    outer, parameters = torch.randn(2, 7, 12), list(layer.parameters())
    found = torch.autograd.grad(vectors, parameters, outer, allow_unused=True)
    right = torch.autograd.grad(expected, parameters, outer, allow_unused=True)
    torch.testing.assert_close(found, right, rtol=0, atol=1e-6)


def gpt2_weights(prefix: str = "") -> dict[str, Tensor]:
    shapes = {"wte": (50, 12), "wpe": (16, 12), "h.0.attn.c_attn": (12, 36)}
    return {f"{prefix}{name}.weight": torch.randn(shape) for name, shape in shapes.items()}


def bert_weights(
    scale: str = "weight", shift: str = "bias", prefix: str = "embeddings."
) -> dict[str, Tensor]:
    rows = {"word_embeddings": 50, "position_embeddings": 16, "token_type_embeddings": 3}
    tables = {f"{prefix}{name}.weight": torch.randn(n, 12) for name, n in rows.items()}
    return tables | {f"{prefix}LayerNorm.{name}": torch.randn(12) for name in (scale, shift)}


def test_a_layer_from_a_file_is_a_copy_in_the_default_type_that_can_be_trained(path: Path) -> None:
    weights = {name: tensor.half() for name, tensor in gpt2_weights("transformer.").items()}
    save_file(weights, path)
    module = GPT2Embeddings.from_safetensors(str(path), dropout=0.3)
    assert (module.training, module.dropout.p) == (True, 0.3)
    assert torch.equal(module.token.weight, weights["transformer.wte.weight"].float())
    assert all(parameter.requires_grad for parameter in module.parameters())
    module.token.weight.data.zero_()
    assert load_file(path)["transformer.wte.weight"].any()


TABLE = torch.ones(50, 12)

test_a_tensor_that_is_missing_or_wrong = refused_files(
    GPT2Embeddings.from_safetensors,
    [
        (save({"wte.weight": TABLE}), "no tensor wpe.weight; it has ['wte.weight']"),
        (save(gpt2_weights() | gpt2_weights("model.")), "below ['', 'model.']; choose one: prefix"),
        (save({"wte.weight": TABLE, "wpe.weight": torch.ones(9, 11)}), "it needs (rows, 12)"),
        (save({"wte.weight": TABLE.to(torch.int8)}), "it must be of a float type"),
        (save(gpt2_weights())[:-1], "is not a whole safetensors file"),
        (b"", "an empty file"),
    ],
)


def test_a_prefix_is_chosen_in_the_parts_of_a_model_and_older_names_are_read(path: Path) -> None:
    weights = bert_weights("gamma", "beta", "student.") | bert_weights(prefix="bert.teacher.")
    for part in range(3):
        some = {name: weights[name] for name in sorted(weights)[part::3]}
        save_file(some, path.with_stem(f"model-{part}"))
    options: dict[str, Any] = {"dropout": 0.2, "eps": 1e-5, "padding_id": None}
    layer = BertEmbeddings.from_safetensors(path.parent, prefix="student", **options)
    assert torch.equal(layer.norm.bias, weights["student.LayerNorm.beta"])
    assert (layer.norm.eps, layer.dropout.p, layer.token.padding_idx) == (1e-5, 0.2, None)
    layer = BertEmbeddings.from_safetensors(path.parent, prefix="bert.teacher.")
    assert torch.equal(layer.norm.bias, weights["bert.teacher.LayerNorm.bias"])


def test_a_folder_without_safetensors_is_told(path: Path) -> None:
    path.with_name("pytorch_model.bin").touch()
    with pytest.raises(ValueError, match=r"has no model.safetensors; it has \['pytorch_model.bin"):
        GPT2Embeddings.from_safetensors(path.parent)


def test_the_hub_is_asked_for_what_is_given(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    download = mock.Mock(return_value=path)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    save_file(gpt2_weights() | bert_weights(), path)
    assert GPT2Embeddings.from_hub("tiny/gpt2", revision="v2", dropout=0.25).dropout.p == 0.25
    assert BertEmbeddings.from_hub("tiny/bert", eps=1e-3).norm.eps == 1e-3
    asked = [(*call.args, call.kwargs["revision"]) for call in download.call_args_list]
    file = "model.safetensors"
    assert asked == [("tiny/gpt2", file, "v2"), ("tiny/bert", file, None)]
