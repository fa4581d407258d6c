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
_TORCH = f"it may run code when it is read; save the weights as safetensors: {_WEIGHTS}"
EMPTY = Kind("an empty file", "download or write it again")
LFS = Kind("a git-lfs pointer", "it stands for a file elsewhere: fetch that with `git lfs pull`")
HTML = Kind("an HTML page", "download the file itself; on a hub its address has /resolve/ in it")
SAFETENSORS = Kind("a file of weights (safetensors)", _WEIGHTS)
TORCH = Kind("a zip archive or a pickle, as torch.save writes", _TORCH)
GGUF = Kind("a GGUF file of llama.cpp", "take the tokenizer or the weights of the original model")
NPY = Kind("an array of numpy", "read it with numpy.load, or with read_tokens if it holds ids")
GZIP = Kind("a gzip archive", "unpack it first")
UTF16 = Kind("text in UTF-16", "save it as UTF-8")
SENTENCEPIECE = Kind(
    "a SentencePiece model",
    "let transformers write a tokenizer.json, AutoTokenizer.from_pretrained(folder)"
    f".save_pretrained(folder), and {_PIPELINE}",
)
TIKTOKEN = Kind(
    "a file of tiktoken's ranks", "make a tiktoken.Encoding of it for BPETokenizer.from_tiktoken"
)
TOKENIZER_JSON = Kind("a tokenizer.json", _PIPELINE)
VOCAB_JSON = Kind("a vocab.json", f"{_PIPELINE}, with its folder, where merges.txt is too")
JSON = Kind("JSON", "choose the tokenizer's own file, or pass its folder to Pipeline.from_file")
MERGES = Kind(
    "a file of merges",
    "read it with BPETokenizer.load; where a vocab.json lies beside it, "
    "companion.pipeline.Pipeline.from_file reads both and gives the ids of that",
)
SCORES = Kind(
    "a .vocab file of SentencePiece", "its scores are rounded: read them from the model beside it"
)
VOCAB_TXT = Kind("a vocab.txt", "read it with WordPieceTokenizer.load")


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
_SIGNS: dict[Kind, Callable[[bytes], object]] = {
    EMPTY: _starts(rb"\s*$"),
    LFS: _starts(rb"version https://git-lfs"),
    HTML: _starts(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|head)\b"),
    SAFETENSORS: _starts(rb'.{7}\0\s*\{\s*"'),  # the header's length in eight bytes, then JSON
    TORCH: _starts(rb"PK\x03\x04|\x80[\x02-\x05]"),
    GGUF: _starts(rb"GGUF"),
    NPY: _starts(rb"\x93NUMPY"),
    GZIP: _starts(rb"\x1f\x8b"),
    UTF16: _starts(rb"\xff\xfe|\xfe\xff"),
    # A piece: how long it is, then its text with its length, then its score.
    SENTENCEPIECE: _starts(rb"\n.\n(?:\x05<unk>|\x05<pad>|\x03<s>|.[^\n]{1,40}\x15)"),
    TIKTOKEN: _is_tiktoken,
    TOKENIZER_JSON: _starts(rb'\s*\{.*"(?:truncation|added_tokens|pre_tokenizer)"\s*:'),
    VOCAB_JSON: _starts(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*,\s*"(?:[^"\\]|\\.)*"\s*:\s*\d'),
    JSON: _starts(rb'\s*(?:\{\s*"[^"\n]*"\s*:|\{\s*\}\s*$|\[\s*["{\[\d-])'),
    MERGES: _starts(rb"#version"),
    SCORES: _starts(rb"<?[^\t\n]+\t-?[\d.]+(?:e-?\d+)?\r?\n[^\t\n]+\t-?\d"),
    VOCAB_TXT: _starts(rb"(?:[^\s]+\r?\n)*\[(?:UNK|CLS|SEP|PAD)\]\r?\n"),
}


def kind_of(first_bytes: bytes) -> Kind | None:
    """Return what a file is whose first bytes (a few thousand) are these, if they tell.

    >>> kind_of(b"<!DOCTYPE html><html>").name
    'an HTML page'
    """
    data = first_bytes.removeprefix(b"\xef\xbb\xbf")
    return next((kind for kind, matches in _SIGNS.items() if matches(data)), None)


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
