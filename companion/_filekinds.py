"""What a file of a tokenizer or of weights is, told by how it begins."""

import os
import re
from collections.abc import Collection
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
VOCAB_TXT = Kind(
    "a vocab.txt",
    "read it with WordPieceTokenizer.load, "
    "or name it vocab.txt and open that (in Python, its folder)",
)
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


_LINE_OF_RANKS = rb"(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{4}|[a-z0-9+/]{2}==|[a-z0-9+/]{3}=) \d+\r?\n"
# Looked through in order; each sees the first bytes without a byte order mark.
_SIGNS: list[tuple[bytes, Kind]] = [
    (rb"\s*$", Kind("an empty file", "download or write it again")),
    (rb"version https://git-lfs", Kind(
        "a git-lfs pointer", "it stands for a file elsewhere: fetch that with `git lfs pull`")),
    (rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|head)\b", Kind(
        "an HTML page", "download the file itself; on a hub its address has /resolve/ in it")),
    # The length of the header in eight bytes, then JSON.
    (rb'.{7}\0\s*\{\s*"', SAFETENSORS),
    (rb"PK\x03\x04|\x80[\x02-\x05]", Kind(
        "a zip archive or a pickle, as torch.save writes",
        f"it may run code when it is read; save the weights as safetensors: {_WEIGHTS}")),
    (rb"GGUF", Kind("a GGUF file", "take the files of the original model")),
    (rb"\x93NUMPY", NPY),
    (rb"\x1f\x8b", Kind("a gzip archive", "unpack it first")),
    (rb"\xff\xfe|\xfe\xff", Kind("text in UTF-16", "save it as UTF-8")),
    # A piece: how long it is, then its text with its length, then its score.
    (rb"\n.\n(?:\x05<unk>|\x05<pad>|\x03<s>|.[^\n]{1,40}\x15)", SENTENCEPIECE),
    (rb"<?[^\t\n]+\t-?[\d.]+(?:e-?\d+)?\r?\n[^\t\n]+\t-?\d", Kind(
        "a .vocab file of SentencePiece",
        "its scores are rounded: read them from the model beside it")),
    (_LINE_OF_RANKS * 2, Kind(
        "a file of tiktoken's ranks",
        "make a tiktoken.Encoding of it for BPETokenizer.from_tiktoken")),
    (rb'\s*\{.*"(?:truncation|added_tokens|pre_tokenizer)"\s*:', TOKENIZER_JSON),
    (rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*,\s*"(?:[^"\\]|\\.)*"\s*:\s*\d', VOCAB_JSON),
    (rb'\s*(?:\{\s*"[^"\n]*"\s*:|\{\s*\}\s*$|\[\s*["{\[\d-])', JSON),
    (rb"#version", MERGES),
    (rb"(?:[^\s]+\r?\n)*\[(?:UNK|CLS|SEP|PAD)\]\r?\n", VOCAB_TXT),
]  # fmt: skip


def kind_of(first_bytes: bytes) -> Kind | None:
    """Return what a file is whose first bytes (a few thousand) are these, if they tell.

    >>> kind_of(b"<!DOCTYPE html><html>").name
    'an HTML page'
    """
    data = first_bytes.removeprefix(b"\xef\xbb\xbf")
    flags = re.DOTALL | re.IGNORECASE
    return next((kind for sign, kind in _SIGNS if re.match(sign, data, flags)), None)


def text_of(
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
