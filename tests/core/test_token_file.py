"""Token files: what they hold, what they refuse, and what is left when writing fails."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.bpe import BPETokenizer, gpt2, train_bpe
from companion.token_file import read_tokens, write_tokens
from companion.unigram import UnigramTokenizer
from companion.wordpiece import WordPieceTokenizer
from companion.words import WordTokenizer, build_vocab

DOCUMENTS = ["Once upon a time", "", "there were four little Rabbits\n"]
END = "<|endoftext|>"
LOW = train_bpe("low lower", 260, special_tokens=["<|a|>", END])


class Letters:
    """A tokenizer whose ids are code points, or what it was told to give."""

    def __init__(self, n_vocab: int = 128, ids: Any = None) -> None:
        self.n_vocab, self.ids = n_vocab, ids

    def encode(self, text: str) -> list[int]:
        return self.ids or [ord(letter) for letter in text]

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(map(chr, ids))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus.npy"


def in_folder(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_documents_one_after_the_other_with_a_separator(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = []
    for document in DOCUMENTS:
        expected += [*gpt2().encode(document), 50256]
    n_written = write_tokens(iter(DOCUMENTS), path, gpt2(), separator=END, progress=True)
    assert n_written == len(expected)
    assert "write_tokens: 3 documents" in capsys.readouterr().err
    assert in_folder(path) == ["corpus.npy"]
    ids = read_tokens(path, gpt2())
    assert (ids.mode, ids.tolist()) == ("r", expected)
    assert np.load(path, mmap_mode="r").tolist() == expected  # numpy alone can read it


@pytest.mark.parametrize(
    ("n_vocab", "dtype"),
    [(256, "u1"), (257, "<u2"), (65_536, "<u2"), (65_537, "<u4"), (2**64, "<u8")],
)
def test_the_smallest_type_that_holds_the_vocabulary(n_vocab: int, dtype: str, path: Path) -> None:
    tokenizer: Any = Letters(n_vocab, [0])
    tokenizer.vocab = {"a": 0, "b": n_vocab - 1}
    write_tokens(["a"], path, tokenizer, separator=n_vocab - 1)
    ids = read_tokens(path, tokenizer)
    assert (ids.dtype, ids.tolist()) == (np.dtype(dtype), [0, n_vocab - 1])


@pytest.mark.parametrize(
    ("tokenizer", "separator", "token_id"),
    [
        (LOW, np.uint16(7), 7), (LOW, "\n", 198), (LOW.to_tiktoken("low"), END, 259),
        (WordPieceTokenizer(["[UNK]", "[CLS]", "low", "[SEP]"]), "[SEP]", 3),
        (WordTokenizer(build_vocab("Once upon", [END, "<unk>"]), "<unk>"), END, 2),
    ],
)  # fmt: skip
def test_separators(tokenizer: Any, separator: Any, token_id: int, path: Path) -> None:
    write_tokens(["low"], path, tokenizer, separator=separator)
    assert read_tokens(path).tolist() == [*tokenizer.encode("low"), token_id]


@pytest.mark.parametrize(
    ("documents", "tokenizer", "separator", "error", "message"),
    [
        ("one text", Letters(), None, TypeError, "documents must be an iterable of strings; for"),
        (["a", b"b"], Letters(), None, TypeError, "document 1 must be a string, not bytes: b'b';"),
        (["a", "été"], Letters(), None, ValueError, "the tokenizer gave the id 233 for document"),
        (["a"], Letters(128, [5, -1]), None, ValueError, "the tokenizer gave the id -1 for"),
        (["fine", f"forged {END}"], gpt2(), END, ValueError, "the disallowed special token"),
        (["a"], gpt2(), "<|end|>", ValueError, "'<|end|>' is not one token of the tokenizer"),
        (["a"], WordTokenizer({"<unk>": 0}, "<unk>"), END, ValueError, "is not one token"),
        (["a"], gpt2(), 50257, ValueError, "separator 50257 is not an id of the vocabulary (0 to "),
    ],
)  # fmt: skip
def test_refuses(
    documents: Any, tokenizer: Any, separator: Any, error: type[Exception], message: str, path: Path
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        write_tokens(documents, path, tokenizer, separator=separator)
    assert in_folder(path) == []


def test_an_error_of_the_tokenizer_names_the_document_and_an_old_file_stays(path: Path) -> None:
    write_tokens(["old"], path, Letters())
    with pytest.raises(LookupError, match="'b' is not in") as caught:
        write_tokens(["a", "b"], path, WordTokenizer({"a": 0}))
    assert caught.value.__notes__ == ["This was document 1: 'b'"]
    assert in_folder(path) == ["corpus.npy"]
    assert bytes(read_tokens(path)) == b"old"


@pytest.mark.skipif(os.name == "nt", reason="links and rights of Unix")
def test_it_is_written_where_a_link_points_with_the_rights_that_are_there(path: Path) -> None:
    path.touch(0o600)
    path.with_suffix(".link").symlink_to(path)
    write_tokens(["a"], path.with_suffix(".link"), Letters())
    assert path.with_suffix(".link").is_symlink()
    assert (bytes(read_tokens(path)), path.stat().st_mode & 0o777) == (b"a", 0o600)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    getattr(os, "mkfifo", Path.mkdir)(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(OSError, match="is a folder, a device or a pipe; name a regular file"):
            write_tokens(["a"], path, Letters())


def unigram(*names: str) -> UnigramTokenizer:
    pieces = [("<unk>", 0.0), *((name, -1.0) for name in names)]
    return UnigramTokenizer(pieces, byte_fallback=True)


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


@pytest.mark.parametrize(
    ("written", "same", "other"),
    [
        (LOW, LOW.to_tiktoken("low"), BPETokenizer(LOW.merges, special_tokens=["<|b|>", END])),
        # Decoded alone, both tokens are U+FFFD, but they are the starts of 世 and of 丹.
        (BPETokenizer([(b"\xe4", b"\xb8")]), BPETokenizer([(b"\xe4", b"\xb8")]),
         BPETokenizer([(b"\xe4", b"\xb9")])),
        # Decoded alone, any byte above 0x7F is U+FFFD.
        (unigram("▁", *BYTES), unigram("▁", *BYTES),
         unigram("▁", *BYTES[:254], BYTES[255], BYTES[254])),
        (WordTokenizer({"a": 0, "b": 7}), WordTokenizer({"b": 7, "a": 0}),
         WordTokenizer({"a": 1, "b": 7})),
    ],
)  # fmt: skip
def test_a_file_of_another_vocabulary_is_refused(
    written: Any, same: Any, other: Any, path: Path
) -> None:
    write_tokens(["a"], path, written)
    assert read_tokens(path, same).tolist() == read_tokens(path).tolist()
    message = f"^{path} was written with another vocabulary: of {written.n_vocab} tokens "
    with pytest.raises(ValueError, match=f"{message}too, but some ids are other tokens$"):
        read_tokens(path, other)
    with pytest.raises(ValueError, match=f"{message[:-1]}, while the tokenizer has 50257$"):
        read_tokens(path, gpt2())


def test_a_file_that_is_damaged_or_comes_from_elsewhere_is_refused(path: Path) -> None:
    np.save(path, np.arange(9, dtype="u2"))
    damaged = "not a file of write_tokens, or was cut short or damaged"
    contents = {path.read_bytes(): damaged, b"": "an empty file",
                np.arange(50, 90, dtype="u2").tobytes(): "no file of write_tokens; raw ids, as in",
                }  # fmt: skip
    write_tokens(["a" * 50], path, Letters(300))
    data = path.read_bytes()
    contents |= dict.fromkeys([data[:n] for n in (100, 128, 200, 300, len(data) - 1)], damaged)
    for old, new in ((b"n_vocab", b"n_vicab"), (b'{"n_v', b'["n_v'), (b"(50,", b"(49,"),
                     (b"<u2", b"<i2"), (b"shape", b"shope")):  # fmt: skip
        contents[data.replace(old, new, 1)] = damaged
    for content, message in contents.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=f"^{path} is {message}"):
            read_tokens(path)
