"""What a file is, told by how it begins: the real ones, and those that only look like one."""

import json
import pickle
import re
from importlib.resources import files

import numpy as np
import pytest
import safetensors.numpy
import tokenizers
from tokenizer_files import sentencepiece_model
from tokenizers import models

from companion.files import kind_of, refuse_others
from companion.story import load_story

DATA = files("companion") / "data"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\n", "an empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha", "a git-lfs pointer"),
        (b'\n<!DOCTYPE html>\n<html lang="en">', "an HTML page"),
        (safetensors.numpy.save({"a": np.zeros(2)}), "a file of weights (safetensors)"),
        (b"PK\x03\x04", "a zip archive or a pickle, as "),
        (pickle.dumps({"a": 1}), "a zip archive or a pickle, as torch.save writes"),
        (b"\x93NUMPY\1\0", "an array of numpy"),
        ("a b\n".encode("utf-16"), "text in UTF-16"),
        (sentencepiece_model(model_type="bpe"), "a SentencePiece model"),
        (sentencepiece_model(model_type="unigram", pad_id=0, unk_id=1, bos_id=2, eos_id=3,
                                     unk_piece="⁇"), "a SentencePiece model"),
        (b"<unk>\t0\n<s>\t0\n</s>\t0\n\xe2\x96\x81a\t-3.2\n", "a .vocab file of Sentence"),
        (b"IQ== 0\nIg== 1\nIw== 2\n", "a file of tiktoken's ranks"),
        (tokenizers.Tokenizer(models.BPE()).to_str().encode(), "a tokenizer.json"),
        (b'{"!": 0, "\\"": 1, "#": 2}', "a vocab.json"),
        (b'{"metadata": {},\n "weight_map": {"wte.weight": "model-1.sa', "a list of files"),
        (json.dumps({"model_type": "gpt2"}, indent=1).encode(), "JSON"),
        (DATA.joinpath("vocab.bpe").read_bytes(), "a file of merges"),
        (DATA.joinpath("bert-base-uncased-vocab.txt").read_bytes(), "a vocab.txt"),
        (b"\xef\xbb\xbf[PAD]\r\n[unused0]\r\n", "a vocab.txt"),
    ],
)  # fmt: skip
def test_a_file_is_named(data: bytes, name: str) -> None:
    kind = kind_of(data[:4096])
    assert kind is not None
    assert kind.name.startswith(name)
    with pytest.raises(ValueError, match=rf"^a/file is {re.escape(name)}.*, not any of these; ."):
        refuse_others("a/file", data, "any of these")
    refuse_others("a/file", data, "any of these", kind.name)


@pytest.mark.parametrize(
    "text",
    ["Ġ t\nĠ a\n", "e n\ne r\n", "abcd 1\nef 2\n", "<s>\n<pad>\n", "[unused1]\n[unused2]\n",
     "{\n\"\n}\n", "the\n" * 2000, load_story()],
)  # fmt: skip
def test_a_text_that_tells_nothing_has_no_name(text: str) -> None:
    assert kind_of(text.encode()) is None
