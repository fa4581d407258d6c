"""What a file of a tokenizer or of weights is, told by how it begins."""

import base64
import os
import re
from collections.abc import Callable, Collection
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of file, with its article, and what to do with one."""

    name: str
    way_out: str


_PIPELINE = "read it with companion.pipeline.Pipeline.from_file"
_WEIGHTS = "GPT2Embeddings.from_safetensors and BertEmbeddings.from_safetensors read weights"
MERGES = Kind(
    "a file of merges",
    "read it with BPETokenizer.load; where a vocab.json lies beside it, "
    "companion.pipeline.Pipeline.from_file reads both and gives the ids of that",
)
VOCAB_TXT = Kind("a vocab.txt", "read it with WordPieceTokenizer.load")
SAFETENSORS = Kind("a file of weights (safetensors)", _WEIGHTS)
TOKENIZER_JSON = Kind("a tokenizer.json", _PIPELINE)
VOCAB_JSON = Kind("a vocab.json", f"{_PIPELINE}, with its folder, where merges.txt is too")
JSON = Kind("JSON", "choose the tokenizer's own file, or pass its folder to Pipeline.from_file")
NPY = Kind("an array of numpy", "read it with numpy.load, or with read_tokens if it holds ids")
SENTENCEPIECE = Kind(
    "a SentencePiece model",
    "let transformers write a tokenizer.json, AutoTokenizer.from_pretrained(folder)"
    f".save_pretrained(folder), and {_PIPELINE}",
)


def _is_tiktoken(data: bytes) -> bool:
    """Whether the lines are tokens in base64 with their ranks, "IQ== 0"."""
    lines = re.findall(rb"([A-Za-z0-9+/]+={0,2}) \d+\r?(?:\n|$)", data[:200])
    try:
        return bool(lines) and data.startswith(lines[0]) and all(map(base64.b64decode, lines))
    except ValueError:
        return False


def _starts(pattern: bytes) -> Callable[[bytes], object]:
    return re.compile(pattern, re.DOTALL | re.IGNORECASE).match


# Looked through in order; each sees the first bytes without a byte order mark.
_SIGNS: list[tuple[Callable[[bytes], object], Kind]] = [
    (_starts(rb"\s*$"), Kind("an empty file", "download or write it again")),
    (_starts(rb"version https://git-lfs"), Kind(
        "a git-lfs pointer", "it stands for a file elsewhere: fetch that with `git lfs pull`")),
    (_starts(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|head)\b"), Kind(
        "an HTML page", "download the file itself; on a hub its address has /resolve/ in it")),
    # The length of the header in eight bytes, then JSON.
    (_starts(rb'.{7}\0\s*\{\s*"'), SAFETENSORS),
    (_starts(rb"PK\x03\x04|\x80[\x02-\x05]"), Kind(
        "a zip archive or a pickle, as torch.save writes",
        f"it may run code when it is read; save the weights as safetensors: {_WEIGHTS}")),
    (_starts(rb"GGUF"), Kind("a GGUF file", "take the files of the original model")),
    (_starts(rb"\x93NUMPY"), NPY),
    (_starts(rb"\x1f\x8b"), Kind("a gzip archive", "unpack it first")),
    (_starts(rb"\xff\xfe|\xfe\xff"), Kind("text in UTF-16", "save it as UTF-8")),
    # A piece: how long it is, then its text with its length, then its score.
    (_starts(rb"\n.\n(?:\x05<unk>|\x05<pad>|\x03<s>|.[^\n]{1,40}\x15)"), SENTENCEPIECE),
    (_starts(rb"<?[^\t\n]+\t-?[\d.]+(?:e-?\d+)?\r?\n[^\t\n]+\t-?\d"), Kind(
        "a .vocab file of SentencePiece",
        "its scores are rounded: read them from the model beside it")),
    (_is_tiktoken, Kind(
        "a file of tiktoken's ranks",
        "make a tiktoken.Encoding of it for BPETokenizer.from_tiktoken")),
    (_starts(rb'\s*\{.*"(?:truncation|added_tokens|pre_tokenizer)"\s*:'), TOKENIZER_JSON),
    (_starts(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*,\s*"(?:[^"\\]|\\.)*"\s*:\s*\d'), VOCAB_JSON),
    (_starts(rb'\s*(?:\{\s*"[^"\n]*"\s*:|\{\s*\}\s*$|\[\s*["{\[\d-])'), JSON),
    (_starts(rb"#version"), MERGES),
    (_starts(rb"(?:[^\s]+\r?\n)*\[(?:UNK|CLS|SEP|PAD)\]\r?\n"), VOCAB_TXT),
]  # fmt: skip


def kind_of(first_bytes: bytes) -> Kind | None:
    """Return what a file is whose first bytes (a few thousand) are these, if they tell.

    >>> kind_of(b"<!DOCTYPE html><html>").name
    'an HTML page'
    """
    data = first_bytes.removeprefix(b"\xef\xbb\xbf")
    return next((kind for matches, kind in _SIGNS if matches(data)), None)


def read_text(
    path: str | os.PathLike[str], own: Collection[Kind], wanted: str, errors: str = "strict"
) -> str:
    """Return the text of a file without a byte order mark, unless it is of another kind."""
    with open(path, "rb") as file:
        data = file.read(4096)
        refuse_others(path, data, own, wanted)
        data += file.read()
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)} is not {wanted}: byte {error.start} is not UTF-8"
        ) from None


def refuse_others(
    path: str | os.PathLike[str], first_bytes: bytes, own: Collection[Kind], wanted: str
) -> None:
    """Raise a `ValueError` if a file is known to be of another kind than its `own`."""
    kind = kind_of(first_bytes)
    if kind is not None and kind not in own:
        raise ValueError(f"{os.fspath(path)} is {kind.name}, not {wanted}; {kind.way_out}")
