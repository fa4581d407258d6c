"""Files and folders: what is read, and how the others are refused."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizer_files
import tokenizers
from tokenizer_files import added, mended, of, sequence, split, template, trained, write

from companion.story import SENTENCE
from inspector import Finding, Pipeline, inspect_tokenizer
from inspector.opened import TEXTS

WORDS_ = {"a": 0, "b": 1, "ab": 2, "<unk>": 3}
MODEL = of("BPE", vocab=WORDS_, merges=["a b"])


def of_class(name: str, **settings: object) -> dict[str, Any]:
    return {"tokenizer_config": {"tokenizer_class": name, **settings}}


def found(path: Path, ask: bool = False) -> dict[str, Finding]:
    return {each.code: each for each in inspect_tokenizer(path, ask=ask)}


STRIP = of("Strip", strip_left=True, strip_right=True)
# What is malformed is tried everywhere in test_inspection.py.
REFUSED: list[tuple[Any, str]] = [
    ({"normalizer": of("Sequence", normalizers=[of("X")])},
     "the normalizer Sequence: the normalizer 'X' is not supported; supported are"),
    ({"pre_tokenizer": split(r"\X")}, r"the pre-tokenizer Split: pattern '\\X' has \X"),
    ({"pre_tokenizer": split("a", "Melted")}, "the pre-tokenizer Split: 'behavior' is"),
    ({"pre_tokenizer": sequence(pretokenizers=[of("BertPreTokenizer"), sequence(pretokenizers=[
        of("Metaspace", prepend_scheme="first")])])}, "'prepend_scheme' is 'first' in a Metaspace"),
    ({"post_processor": sequence(processors=[template("A:0", "A:0 B:0", {})] * 2)},
     "the post-processor Sequence: 2"),
    *(({"post_processor": template(one, two, {})}, said)
      for one, two, said in (("A:0 B:0", "A:0 B:0", "'single' places a second text"),
                             ("A:0", "A:0", "'pair' does not place both texts"),
                             ("x:0", "A:0 B:0", "'x' is None; it must be of type dict"))),
    ({"model": MODEL | {"merges": ["b a"]}}, "the model BPE: merge 0 joins 'b' and 'a', but"),
    ({"model": MODEL | {"unk_token": "?"}}, "the model BPE: 'unk_token' is '?', which the"),
    ({"model": MODEL | {"vocab": WORDS_ | {"c": 1}}}, "id 1 is given to both 'b' and 'c'; each"),
    ({"model": of("Unigram", vocab=[["a", -1.0]], unk_id=None)}, "'unk_id' is missing, or null"),
    ({"added_tokens": [added("<x>", 9)]}, "'<x>' has the id 9 in the file, but gets 4"),
    ({"added_tokens": [added("ab", 4)]}, "'ab' has the id 4 in the file, but gets 2"),
    ({"model": MODEL | {"vocab": WORDS_ | {"c": 5}}, "added_tokens": [added("<x>", 5)]},
     "'<x>' has the id 5 in the file, but gets 5, which is that of 'c'"),
    ({"added_tokens": [added(" ", 4, normalized=True)], "normalizer": STRIP}, "the added token"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "message"), REFUSED)
def test_what_is_not_supported_is_named(parts: Any, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, {"tokenizer": {"added_tokens": [], "model": MODEL, **parts}})
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Pipeline.from_file(path)
    assert str(caught.value).startswith(f"{path / 'tokenizer.json'}: ")


# Files that hold something else, those of other programs too, and what they are called.
OTHERS = [
    ({"tokenizer": {"class_name": "Tokenizer", "config": {}}}, "is a tokenizer of Keras"),
    ({"tokenizer": {"config": {"pitch_range": [21, 109]}}}, "is a tokenizer of music"),
    ({"tokenizer": "x" * 257 + "ustar"}, "is a tar archive, as NeMo writes"),
    ({"tokenizer": '{"added_tokens": [], "model": {"type": "BPE", "vo'},
     "is not valid JSON at line 1, column 47: Unterminated"),
    ({"tokenizer": "the 310\nof 20\na 11\n"}, "is a list of words with their counts, as the dict"),
    ({"tokenizer": "e n</w>\nt h\nth e</w>\n"}, "is a list of merges, as subword-nmt writes; read"),
    ({"tokenizer": "AAA\nAAC\nAAG\nAAT\n"}, "is a list with a token a line; if it is BERT's"),
    ({"tekken.json": {"config": {}}}, "its tekken.json is a file of Mistral's Tekken: take"),
    ({"tiktoken.model": "IQ== 0\nIg== 1\n"}, "its tiktoken.model is a file of tiktoken's"),
    ({"m.gguf": "GGUF\x03"}, "its m.gguf is a GGUF file: take the files of the original model"),
    ({"tokenizer.model.v3": "x"}, "tokenizer.model.v3 is a model of another kind; put the model's"),
    ({"tokenizer": {"added_tokens": []}}, "has no 'model', so it is no tokenizer.json"),
    ({"tokenizer": '{"model": ' + "[" * 100_000}, "is no JSON of a tokenizer: maximum recursion"),
    ({"tokenizer": {"model": {"vocab": {"\ud800": 0}}}}, "no JSON of a tokenizer: 'utf-8' codec"),
    ({"notes.md": ""}, r"holds no tokenizer.json, .* but \['notes.md'\]"),
    ({"tokenizer.model": "\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"},
     r"is a SentencePiece model; put .* protobuf, write .*:\n.*\n"),
    ({"vocab.txt": "<cls>\n<pad>\nL\nA\n"}, r"has no '\[UNK\]', .* such as the amino acids"),
    ({"vocab": {"e": 0}, "merges.txt": "#version: 0.2\ne n</w>\n"}, "holds 'e n</w>', which is"),
    ({"vocab": {"e": 0}, "merges.txt": "▁ e\n"}, "holds .▁ e., .* let transformers"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "message"), OTHERS)
def test_other_files_are_named(files: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Pipeline.from_file(write(tmp_path, files))
    assert str(tmp_path) in str(caught.value)


def test_a_pipe_and_a_device_in_a_folder_are_named(tmp_path: Path) -> None:
    """Reading them would never end."""
    path = tmp_path / "vocab.txt"
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        make(path)
        with pytest.raises(ValueError, match=r"vocab\.txt is a folder, a device or a pipe"):
            inspect_tokenizer(tmp_path)
        path.unlink()


def test_the_lines_that_convert_run(tmp_path: Path) -> None:
    pytest.importorskip("google.protobuf")
    pytest.importorskip("transformers")
    model = tokenizer_files.sentencepiece_model()
    write(tmp_path, {"spiece.model": model, "config": {"model_type": "t5"}})
    with pytest.raises(ValueError, match="is a SentencePiece model; put") as refused:
        Pipeline.from_file(tmp_path)
    _, *lines = str(refused.value).splitlines()
    exec("\n".join(line.strip() for line in lines))
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model).encode(SENTENCE, out_type=str)
    assert Pipeline.from_file(tmp_path).encode_pair(SENTENCE).tokens == [*pieces, "</s>"]


BYTES = trained("bytes")
VOCAB = BYTES["vocab"] | {token: 700 + i for i, token in enumerate(("<unk>", "<|endoftext|>"))}
GPT2_FILES = {
    "vocab": VOCAB,
    "merges.txt": "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in BYTES["merges"]),
}
BERT_FILES = {"vocab.txt": "\r\n".join(trained("WordPiece")["vocab"]) + "\r\n"}
LEFT = {"lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
NEW = {**LEFT, "content": "<new>", "special": False, "normalized": True}
MAP = {"bos_token": "</s>", "pad_token": "<pad>", "mask_token": {**LEFT, "content": "<mask>"}}
OPT = {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "bos_token": "</s>"}


# What lies beside `vocab.json` and `merges.txt`, or beside `vocab.txt`.
OLDER: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *((GPT2_FILES, {"config": {"model_type": model_type}})
      for model_type in ("gpt2", "roberta", "qwen2")),
    (GPT2_FILES, of_class("GPT2Tokenizer", add_prefix_space=True, add_eos_token=True)),
    (GPT2_FILES, {"config": {"model_type": "opt"}, "special_tokens_map": MAP,
                  "tokenizer_config": OPT | {"pad_token": None}}),
    (GPT2_FILES, of_class("GPT2Tokenizer", extra_special_tokens=["<new>"])
     | {"added_tokens": {"<new>": 702, "<New>": 703}}),
    (GPT2_FILES, of_class("GPT2Tokenizer", added_tokens_decoder={"702": NEW})
     | {"special_tokens_map": MAP}),
    (BERT_FILES, {"config": {"model_type": "electra"}}),
    (BERT_FILES, of_class("BertTokenizer", do_lower_case=False)),
    (BERT_FILES, of_class("DistilBertTokenizer", strip_accents=False,
                          tokenize_chinese_chars=False)),
]  # fmt: skip


@pytest.mark.parametrize(("files", "beside"), OLDER)
def test_older_folders_are_those_of_transformers(
    files: dict[str, Any], beside: dict[str, Any], tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    write(tmp_path, files | beside)
    mine = Pipeline.from_file(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert mine.vocab == theirs.get_vocab()
    marked = "a<mask>b  <mask> </s><s>c <new>y <New> [CLS] a[MASK]b ##s <|endoftext|>"
    for text in (*TEXTS, SENTENCE, "Café 请问", marked, " a"):
        assert mine.encode(text) == theirs(text)["input_ids"]
        assert mine.encode_pair(text, "b").ids == theirs(text, "b")["input_ids"]
    assert "guessed-stages" not in found(tmp_path, ask=True)


@pytest.mark.parametrize("files", [GPT2_FILES, BERT_FILES])
def test_older_folders_of_a_class_that_is_not_here(
    files: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is guessed where a class is named; what is missing is said, and how to go on."""
    write(tmp_path, files | of_class("NoTokenizer"))
    with pytest.raises(ValueError, match=r"goes with 'NoTokenizer', whose stages .* says: "):
        Pipeline.from_file(tmp_path)
    write(tmp_path, of_class("MPNetTokenizer"))
    monkeypatch.setattr("inspector.library.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install transformers\); put"):
        Pipeline.from_file(tmp_path)


def test_a_list_that_lacks_a_line(tmp_path: Path) -> None:
    """One that was rounded up has spare rows, and is right."""
    path = write(tmp_path, BERT_FILES | of_class("BertTokenizer"))
    n = len(trained("WordPiece")["vocab"])
    for rows in (n + 64 - n % 64, n, n + 1):
        seen = found(write(path, {"config": {"vocab_size": rows}}))
        assert ("list-short" in seen) is (rows == n + 1)
    what = seen["list-short"].what
    assert what.startswith(f"vocab.txt has {n:,} lines, and vocab_size in config.json is {n + 1:,}")


def test_added_tokens_that_were_left_over(tmp_path: Path) -> None:
    """Of another model: the weights have no rows for them, and without the file all is right."""
    n = len(VOCAB)
    leftover = {"added_tokens": {"<|tool|>": 100, "<|user|>": n + 5}}
    config = {"config": {"model_type": "gpt2", "vocab_size": n}}
    seen = found(path := write(tmp_path, GPT2_FILES | config | leftover))
    assert "table-short" in seen
    assert "delete added_tokens.json" in seen["two-names"].fix
    (path / "added_tokens.json").unlink()
    assert "fault" not in {each.level for each in found(path).values()}


def test_older_folders_that_name_no_class(tmp_path: Path) -> None:
    """The merges of bytes are read with GPT-2's stages, and the inspection says so."""
    teacher = tokenizers.ByteLevelBPETokenizer(BYTES["vocab"], [tuple(m) for m in BYTES["merges"]])
    teacher.save_model(str(tmp_path))
    assert Pipeline.from_file(tmp_path).encode(SENTENCE) == teacher.encode(SENTENCE).ids
    assert mended(tmp_path, found(tmp_path)["guessed-stages"].fix)
    assert "guessed-stages" not in found(tmp_path)
