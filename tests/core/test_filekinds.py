"""What a file is, told by how it begins: the real ones, and those that only look like one."""

import io
import json
import pickle
import re
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import pytest
import safetensors.numpy
import tokenizers
import torch
from tokenizer_files import sentencepiece_model
from tokenizers import models

from companion.files import kind_of, refuse_others
from companion.story import load_story


def bundled(name: str) -> Callable[[], bytes]:
    return files("companion").joinpath("data", name).read_bytes


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (lambda: b"\n", "an empty file"),
        (lambda: b"version https://git-lfs.github.com/spec/v1\noid sha", "a git-lfs pointer"),
        (lambda: b'\n<!DOCTYPE html>\n<html lang="en">', "an HTML page"),
        (lambda: safetensors.numpy.save({"a": np.zeros(2)}), "a file of weights (safetensors)"),
        (lambda: written(lambda file: torch.save({}, file)), "a zip archive or a pickle, as "),
        (lambda: pickle.dumps({"a": 1}), "a zip archive or a pickle, as torch.save writes"),
        (lambda: written(lambda file: np.save(file, np.zeros(2))), "an array of numpy"),
        (lambda: "a b\n".encode("utf-16"), "text in UTF-16"),
        (lambda: sentencepiece_model(model_type="bpe"), "a SentencePiece model"),
        (lambda: sentencepiece_model(model_type="unigram", pad_id=0, unk_id=1, bos_id=2, eos_id=3,
                                     unk_piece="⁇"), "a SentencePiece model"),
        (lambda: b"<unk>\t0\n<s>\t0\n</s>\t0\n\xe2\x96\x81a\t-3.2\n", "a .vocab file of Sentence"),
        (lambda: b"IQ== 0\nIg== 1\nIw== 2\n", "a file of tiktoken's ranks"),
        (lambda: tokenizers.Tokenizer(models.BPE()).to_str().encode(), "a tokenizer.json"),
        (lambda: b'{"!": 0, "\\"": 1, "#": 2}', "a vocab.json"),
        (lambda: b'{"metadata": {},\n "weight_map": {"wte.weight": "model-1.sa', "a list of files"),
        (lambda: json.dumps({"model_type": "gpt2"}, indent=1).encode(), "JSON"),
        (bundled("vocab.bpe"), "a file of merges"),
        (bundled("bert-base-uncased-vocab.txt"), "a vocab.txt"),
        (lambda: b"\xef\xbb\xbf[PAD]\r\n[unused0]\r\n", "a vocab.txt"),
    ],
)  # fmt: skip
def test_a_file_is_named(data: Callable[[], bytes], name: str) -> None:
    kind = kind_of(data()[:4096])
    assert kind is not None
    assert kind.name.startswith(name)
    with pytest.raises(ValueError, match=rf"^a/file is {re.escape(name)}.*, not any of these; ."):
        refuse_others("a/file", data(), "any of these")
    refuse_others("a/file", data(), "any of these", kind.name)


@pytest.mark.parametrize(
    "text",
    ["Ġ t\nĠ a\n", "e n\ne r\n", "abcd 1\nef 2\n", "<s>\n<pad>\n", "[unused1]\n[unused2]\n",
     "{\n\"\n}\n", "the\n" * 2000, load_story()],
)  # fmt: skip
def test_a_text_that_tells_nothing_has_no_name(text: str) -> None:
    assert kind_of(text.encode()) is None
