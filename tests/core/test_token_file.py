"""Token files: what they hold, what they refuse, and what is left when writing fails."""

import hashlib
import io
import itertools
import json
import multiprocessing
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import elsewhere
import numpy as np
import pytest
import torch
from elsewhere import FailsLater, Letters
from hypothesis import given
from hypothesis import strategies as st

from companion import token_file, windows
from companion.bpe import BPETokenizer, gpt2, train_bpe
from companion.story import load_story
from companion.token_file import (
    _batches,
    _describe_vocabulary,
    _encoded,
    _Encoder,
    read_tokens,
    write_tokens,
)  # fmt: skip
from companion.wordpiece import WordPieceTokenizer, bert_uncased
from companion.words import WordTokenizer, build_vocab

DOCUMENTS = ["Once upon a time", "", "there were four little Rabbits\n"]
END = "<|endoftext|>"
LOW = train_bpe("low lower", 260, special_tokens=["<|a|>", END])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus.npy"


def in_folder(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def run_elsewhere(name: str, path: Path) -> "subprocess.Popen[str]":
    """Start a program of `elsewhere` in another process."""
    command = [sys.executable, elsewhere.__file__, name, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


# ------------------------------------------------------------------------------ what is written


def test_windows_hands_them_on() -> None:
    assert (windows.read_tokens, windows.write_tokens) == (read_tokens, write_tokens)


def test_documents_one_after_the_other_with_a_separator(path: Path) -> None:
    expected = []
    for document in DOCUMENTS:
        expected += [*gpt2().encode(document), 50256]
    assert write_tokens(iter(DOCUMENTS), path, gpt2(), separator=END) == len(expected) == 14
    assert in_folder(path) == ["corpus.npy"]
    ids = read_tokens(path, gpt2())
    assert isinstance(ids, np.memmap)
    assert (ids.dtype.str, ids.mode, ids.tolist()) == ("<u2", "r", expected)
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 1
    as_numpy_writes = io.BytesIO()
    np.save(as_numpy_writes, np.array(expected, np.uint16))
    assert path.read_bytes().startswith(as_numpy_writes.getvalue())
    # numpy alone can read it, mapped or not.
    assert np.load(path).tolist() == np.load(path, mmap_mode="r").tolist() == expected


@pytest.mark.parametrize(
    ("n_vocab", "dtype"),
    [(128, "u1"), (256, "u1"), (257, "<u2"), (50_257, "<u2"), (65_536, "<u2"), (65_537, "<u4"),
     (2**32, "<u4"), (2**32 + 1, "<u8")],
)  # fmt: skip
def test_the_smallest_type_that_holds_the_vocabulary(
    n_vocab: int, dtype: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # chr knows no more than a million.
    monkeypatch.setattr(token_file, "_token_bytes", lambda tokenizer, token_id: b"")
    monkeypatch.setattr(token_file, "_MANY_IDS", 1000)
    write_tokens(["abc"], path, Letters(n_vocab), separator=n_vocab - 1)
    ids = read_tokens(path)
    assert ids.dtype == np.dtype(dtype)
    assert ids.tolist() == [97, 98, 99, n_vocab - 1]


@given(st.lists(st.text(st.characters(max_codepoint=299))), st.booleans())
def test_what_is_written_is_read(documents: list[str], separated: bool) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "corpus")  # no suffix is added
        n = write_tokens(documents, path, Letters(300), separator=299 if separated else None)
        ids = read_tokens(path, Letters(300)).tolist()
    assert len(ids) == n
    assert "".join(map(chr, ids)) == "".join(d + "\u012b" * separated for d in documents)


@pytest.mark.parametrize(
    ("tokenizer", "separator", "token_id"),
    [
        (LOW, END, 259), (LOW, 258, 258), (LOW, np.uint16(7), 7), (LOW, "\n", 198),
        (LOW.to_tiktoken("low"), END, 259),
        (WordPieceTokenizer(["[UNK]", "[CLS]", "low", "[SEP]"]), "[SEP]", 3),
        (WordTokenizer(build_vocab("Once upon", [END, "<unk>"]), "<unk>"), END, 2),
        (Letters(), ".", 46),
    ],
)  # fmt: skip
def test_separators(tokenizer: Any, separator: Any, token_id: int, path: Path) -> None:
    write_tokens(["low"], path, tokenizer, separator=separator)
    ids = tokenizer.encode("low")
    assert read_tokens(path).tolist() == [*ids, token_id]


def test_a_progress_bar_goes_to_standard_error(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tokens(DOCUMENTS, path, Letters(), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "write_tokens: 100%" in err
    assert "3/3 [" in err
    assert " documents/s]" in err
    write_tokens(DOCUMENTS, path, Letters())
    assert capsys.readouterr().err == ""


# ------------------------------------------------------------------------------ several processes


@pytest.mark.outside_mutation
def test_several_processes_write_the_same_file(path: Path) -> None:
    story = load_story()
    documents = [story[: 17 * i] for i in range(300)]
    n = write_tokens(documents, path, gpt2(), separator=END)
    other = path.with_name("parallel.npy")
    assert write_tokens(documents, other, gpt2(), separator=END, num_workers=2) == n
    assert other.read_bytes() == path.read_bytes()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes were asked for; threads do their work."""
    found = []

    def pool(n: int, **options: Any) -> ThreadPoolExecutor:
        found.append(n)
        return ThreadPoolExecutor(n, **options)

    monkeypatch.setattr(token_file, "ProcessPoolExecutor", pool)
    monkeypatch.setattr(token_file, "_encoder", None, raising=False)
    return found


@pytest.mark.parametrize(("num_workers", "ahead"), [(0, 1), (2, 5)])
def test_documents_are_read_as_they_are_needed(
    num_workers: int, ahead: int, asked: list[int]
) -> None:
    """Alone one at a time; with workers two for each and one more."""
    drawn = []

    def watched() -> Iterator[str]:
        for i in range(20):
            drawn.append(i)
            yield "a" * 2**18

    encoded = _encoded(watched(), _Encoder(Odd([]), None), num_workers)
    for done, _ in enumerate(encoded, 1):
        assert len(drawn) == min(done - 1 + ahead, 20)
    assert done == 20


def test_as_many_processes_as_were_asked_for(asked: list[int], path: Path) -> None:
    assert write_tokens(["ab", "", "c"], path, Letters(), separator=0, num_workers=3) == 6
    assert read_tokens(path).tolist() == [97, 98, 0, 0, 99, 0]
    assert asked == [3]
    write_tokens(["ab"], path, Letters())
    assert asked == [3]  # none, unless some are asked for


def test_documents_are_grouped_until_they_are_worth_sending() -> None:
    def sizes(texts: list[str], size: int) -> list[list[int]]:
        return [[len(text) for _, text in batch] for batch in _batches(texts, size)]

    assert sizes(["abc", "de", "f", "g"], 3) == [[3], [2, 1], [1]]
    assert sizes([], 3) == []
    assert sizes(["", "", ""], 1) == [[0, 0, 0]]  # and none is forgotten
    assert list(_batches(["a", "bb", "c"], 3)) == [[(0, "a"), (1, "bb")], [(2, "c")]]
    assert [len(batch) for batch in _batches(["x" * 2**17] * 3)] == [2, 1]


def test_an_error_of_the_tokenizer_names_the_document(path: Path) -> None:
    with pytest.raises(LookupError, match="no such letter") as caught:
        write_tokens(["fine", "bad", "fine"], path, FailsLater())
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["This was document 1: 'bad'"]
    with pytest.raises(elsewhere.TwoPartError):
        write_tokens(["fine", "worse"], path, FailsLater())
    assert in_folder(path) == []


@pytest.mark.parametrize(
    "workers", ["threads", pytest.param("processes", marks=pytest.mark.outside_mutation)]
)
def test_an_error_in_another_process_names_the_document(
    workers: str, path: Path, request: pytest.FixtureRequest
) -> None:
    if workers == "threads":
        request.getfixturevalue("asked")
    with pytest.raises(LookupError, match="no such letter") as caught:
        write_tokens(["fine", "bad", "fine"], path, FailsLater(), num_workers=2)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["This was document 1: 'bad'"]
    # No process can send this one.
    message = "^the tokenizer raised TwoPartError for document 1, 'worse': no such word$"
    with pytest.raises(RuntimeError, match=message):
        write_tokens(["fine", "worse"], path, FailsLater(), num_workers=1)
    assert in_folder(path) == []


def test_a_worker_waits_for_the_end_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, codes = threading.Event(), queue.Queue[int]()
    monkeypatch.setattr(token_file, "_encoder", None, raising=False)
    monkeypatch.setattr(os, "_exit", codes.put)
    encoder = _Encoder(Letters(), None)
    parent = SimpleNamespace(join=ends.wait)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: parent)
    before = set(threading.enumerate())
    token_file._start(encoder)
    assert token_file._encoder is encoder
    # A worker that has nothing left to do does not wait for this thread.
    assert [thread.daemon for thread in set(threading.enumerate()) - before] == [True]
    assert codes.empty()
    ends.set()
    assert codes.get(timeout=30) == 1


@pytest.mark.outside_mutation
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_no_worker_outlives_a_process_that_is_terminated(path: Path) -> None:
    with run_elsewhere("write_for_ever", path) as process:
        assert process.stdout is not None
        workers = [int(pid) for pid in process.stdout.readline().split()]
        assert len(workers) == 2
        process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + 20
    while alive := [pid for pid in workers if is_alive(pid)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended may wait for whoever asks about it."""
    stat = Path(f"/proc/{pid}/stat")
    if sys.platform == "linux":
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# ------------------------------------------------------------------------------ refusals


class Odd(Letters):
    """A tokenizer that gives what it was told to give."""

    def __init__(self, ids: Any) -> None:
        super().__init__()
        self.ids = ids

    def encode(self, text: str) -> Any:
        return self.ids


OUTSIDE = "outside its own vocabulary of 128 tokens (0 to 127)"
NO_SEPARATOR = "is not one token of the tokenizer; give the text of a special token that it has, "


@pytest.mark.parametrize(
    ("documents", "tokenizer", "options", "error", "message"),
    [
        ("one text", Letters(), {}, TypeError,
         "documents must be an iterable of strings, not str: 'one text'; "
         "write [text] for one document"),
        (7, Letters(), {}, TypeError, "documents must be an iterable of strings, not int: 7; "),
        (["a", b"b"], Letters(), {}, TypeError,
         "document 1 must be a string, not bytes: b'b'; decode it first: data.decode('utf-8')"),
        (["a", None], Letters(), {"num_workers": 1}, TypeError,
         "document 1 must be a string, not NoneType: None"),
        (["a", "été"], Letters(), {}, ValueError,
         f"the tokenizer gave the id 233 for document 1, {OUTSIDE}"),
        (["a", "été"], Letters(), {"num_workers": 1}, ValueError,
         f"the tokenizer gave the id 233 for document 1, {OUTSIDE}"),
        (["a"], Odd([5, -1]), {}, ValueError,
         f"the tokenizer gave the id -1 for document 0, {OUTSIDE}"),
        (["a"], Odd([5, 128]), {}, ValueError,
         f"the tokenizer gave the id 128 for document 0, {OUTSIDE}"),
        (["a"], Odd([5, 1.5]), {}, TypeError,
         "element 1 of the ids of document 0 must be an integer, not float: 1.5"),
        (["fine", f"forged {END}"], gpt2(), {"separator": END}, ValueError,
         f"the disallowed special token {END!r}"),
        (["a"], gpt2(), {"separator": "<|end|>"}, ValueError,
         f"separator '<|end|>' {NO_SEPARATOR}or an id"),
        *(
            (["a"], tokenizer, {"separator": END}, ValueError, f"separator '{END}' {NO_SEPARATOR}")
            for tokenizer in (bert_uncased(), WordTokenizer({"<unk>": 0}, "<unk>"),
                              WordTokenizer({"a": 0}))
        ),
        (["a"], gpt2(), {"separator": 50257}, ValueError,
         "separator 50257 is not an id of the vocabulary of 50257 tokens (0 to 50256)"),
        (["a"], gpt2(), {"separator": -1}, ValueError,
         "separator -1 is not an id of the vocabulary"),
        (["a"], gpt2(), {"separator": 1.0}, TypeError,
         "separator must be an integer, not float: 1.0"),
        (["a"], 5, {}, TypeError, "tokenizer must have encode, decode and n_vocab: int: 5"),
        (["a"], gpt2(), {"num_workers": -1}, ValueError,
         "num_workers is -1; it must be at least 0"),
    ],
)  # fmt: skip
def test_refuses(
    documents: Any, tokenizer: Any, options: Any, error: type[Exception], message: str, path: Path
) -> None:
    with pytest.raises(error) as caught:
        write_tokens(documents, path, tokenizer, **options)
    assert message in str(caught.value)
    assert in_folder(path) == []


@pytest.mark.parametrize(
    "ids", [np.array([0, 127], "u8"), torch.tensor([0, 127]), (0, 127)], ids=type
)
def test_a_tokenizer_may_give_arrays(ids: Any, path: Path) -> None:
    write_tokens(["a"], path, Odd(ids), separator=3)
    assert read_tokens(path).tolist() == [0, 127, 3]


def test_the_id_of_a_separator_is_an_integer(path: Path) -> None:
    odd = Odd([0.5])
    odd.decode = lambda ids: END  # type: ignore[method-assign]
    with pytest.raises(TypeError, match=r"^an id must be an integer, not float: 0\.5$"):
        write_tokens(["a"], path, odd, separator=END)
    odd.vocab = {END: "5"}  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"^the id of '<\|endoftext\|>' must be an integer, not s"):
        write_tokens(["a"], path, odd, separator=END)


def test_no_document_is_read_for_a_path_that_cannot_be_written(path: Path) -> None:
    texts = iter(["read in vain"])
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        write_tokens(texts, path.parent, gpt2())
    assert list(texts) == ["read in vain"]


# ------------------------------------------------------------------------------ failures


def failing(error: BaseException) -> Iterator[str]:
    yield from DOCUMENTS
    raise error


@pytest.mark.outside_mutation
@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("error", [OSError("the disk is gone"), KeyboardInterrupt(), SystemExit(3)])
def test_an_iterable_that_fails_half_way(
    error: BaseException, num_workers: int, path: Path
) -> None:
    write_tokens(["before"], path, Letters())
    before = path.read_bytes()
    with pytest.raises(type(error)) as caught:
        write_tokens(failing(error), path, Letters(), num_workers=num_workers)
    assert caught.value is error
    assert in_folder(path) == ["corpus.npy"]
    assert path.read_bytes() == before


@pytest.mark.outside_mutation
def test_a_process_that_is_killed_leaves_the_old_file(path: Path) -> None:
    write_tokens(["before"], path, Letters())
    before = path.read_bytes()
    with run_elsewhere("stop_half_way", path) as process:
        assert process.wait() == 9
    assert sorted(name.rpartition(".")[2] for name in in_folder(path)) == ["npy", "part"]
    assert path.read_bytes() == before
    assert read_tokens(path, Letters()).tolist() == Letters().encode("before")


def test_two_writers_do_not_mix(path: Path) -> None:
    texts = ["a" * 50_000, "b" * 60_000]
    threads = [
        threading.Thread(target=write_tokens, args=([t] * 5, path, Letters())) for t in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert in_folder(path) == ["corpus.npy"]
    assert len(set(read_tokens(path).tolist())) == 1


# ------------------------------------------------------------------------------ vocabularies


def test_a_file_of_another_vocabulary_is_refused(path: Path) -> None:
    tokenizer = train_bpe("low lower lowest", 259)
    write_tokens(["low lower"], path, tokenizer)
    assert read_tokens(path, tokenizer).dtype == np.uint16
    for other, problem in [
        (gpt2(), "of 259 tokens, while the tokenizer has 50257"),
        (train_bpe("her hers hearse", 259), "of 259 tokens too, but some ids are other tokens"),
    ]:
        with pytest.raises(ValueError, match="another vocabulary") as caught:
            read_tokens(path, other)
        assert str(caught.value) == f"{path} was written with another vocabulary: {problem}"


def test_parts_of_characters_are_told_apart(path: Path) -> None:
    """Decoded alone, both tokens are U+FFFD, but they are the starts of 世 and of 丹."""
    written, other = BPETokenizer([(b"\xe4", b"\xb8")]), BPETokenizer([(b"\xe4", b"\xb9")])
    assert written.decode([256]) == other.decode([256]) == "\ufffd"
    write_tokens(["世"], path, written)
    read_tokens(path, written)
    with pytest.raises(ValueError, match="some ids are other tokens"):
        read_tokens(path, other)


def test_an_equal_vocabulary_is_the_same_whoever_holds_it(path: Path) -> None:
    tokenizer = train_bpe("low lower lowest", 260, special_tokens=[END])
    write_tokens(["low lower"], path, tokenizer)
    encoding: Any = tokenizer.to_tiktoken("low")
    again = BPETokenizer(tokenizer.merges, special_tokens=[END])
    assert read_tokens(path, encoding).tolist() == read_tokens(path, again).tolist()
    with pytest.raises(ValueError, match="some ids are other tokens"):
        read_tokens(path, BPETokenizer(tokenizer.merges, special_tokens=["<|end|>"]))


def test_a_vocabulary_with_gaps(path: Path) -> None:
    tokenizer = WordTokenizer({"a": 0, "b": 7})
    write_tokens(["a b"], path, tokenizer)
    assert read_tokens(path, tokenizer).tolist() == [0, 7]
    with pytest.raises(ValueError, match="another vocabulary"):
        read_tokens(path, WordTokenizer({"a": 1, "b": 7}))


def test_a_vocabulary_is_described_as_in_the_files_that_were_written() -> None:
    tokens = hashlib.sha256(b"0 1 a" + b"2 3 \xed\xa0\x80").hexdigest()
    found = _describe_vocabulary(WordTokenizer({"a": 0, "\ud800": 2}))
    assert found == {"n_vocab": 3, "sha256": tokens}


def test_of_very_many_ids_those_in_use_are_compared(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = _describe_vocabulary(LOW)
    monkeypatch.setattr(token_file, "_MANY_IDS", LOW.n_vocab)  # not too many yet
    assert _describe_vocabulary(LOW) == described
    monkeypatch.setattr(token_file, "_MANY_IDS", 100)
    tokenizer = WordTokenizer({"a": 0, "b": 5000})
    write_tokens(["a b"], path, tokenizer)
    assert read_tokens(path, tokenizer).tolist() == [0, 5000]
    for vocab in ({"a": 1, "b": 5000}, {"c": 0, "b": 5000}, {"a": 0, "c": 5000}):
        with pytest.raises(ValueError, match="some ids are other tokens"):
            read_tokens(path, WordTokenizer(vocab))


def test_of_very_many_ids_without_a_list_of_them_some_are_compared(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_file, "_MANY_IDS", 100)
    decoded: list[int] = []

    class Watched(Letters):
        def decode(self, ids: Any) -> str:
            decoded.extend(ids)
            return super().decode(ids)

    write_tokens(["a"], path, Watched(1001))
    assert decoded == [*range(0, 1001, 11)]


# ------------------------------------------------------------------------------ damaged files


def test_a_file_that_was_cut_short_is_refused_wherever_it_was_cut(path: Path) -> None:
    write_tokens(["a" * 50], path, Letters(300))  # two bytes each
    data = path.read_bytes()
    start = data.index(b"a\0" * 50)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="cut short") as caught:
            read_tokens(path)
        assert str(caught.value).startswith(f"{path} ")
        if start <= length < start + 100:
            assert str(caught.value) == (
                f"{path} is cut short: it should hold 50 ids, but there are "
                f"{(length - start) // 2}; write it again with write_tokens"
            )
        elif length >= start + 100:
            assert str(caught.value) == (
                f"{path} is cut short after its ids, or was not written by write_tokens: there is "
                "no description of its vocabulary; np.load(path, mmap_mode='r') maps any .npy file"
            )


def test_no_damaged_byte_gives_any_other_error(path: Path) -> None:
    write_tokens(["ab"], path, Letters(), separator=0)
    data = path.read_bytes()
    written = np.load(path)
    start = data.index(bytes(written))
    for i, byte in itertools.product(range(len(data)), [0x28, 0xFF]):
        path.write_bytes(data[:i] + bytes([byte]) + data[i + 1 :])
        try:
            ids = read_tokens(path, Letters())
        except ValueError:
            continue
        # The ids themselves are not checked, nor what the header says without effect.
        assert start <= i < start + len(written) or ids.tolist() == written.tolist()


HEADER = "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }"


@pytest.mark.parametrize(
    "header",
    ["{'descr': '|u1', 'fortran_order': False, 'shape': (5,), ", "(" * 50, "{'descr': 'zz9'}",
     HEADER.replace("(5,)", "(-5,)"), HEADER.replace("'|u1'", "[('a', 'u1')]"), "5", "{1}",
     HEADER.replace("(5,)", "(10**40,)")],
)  # fmt: skip
def test_a_header_that_is_no_header_is_refused(header: str, path: Path) -> None:
    text = header.encode().ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"a" * 500)
    with pytest.raises(ValueError, match="is not a file of write_tokens"):
        read_tokens(path)


def rewrite(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Change the description of a file; return what it was."""
    with open(path, "rb") as file:
        ids, description = np.load(file), json.loads(np.load(file).tobytes())
        assert file.read() == b""  # nothing comes after it
    with open(path, "wb") as file:
        np.save(file, ids)
        np.save(file, np.frombuffer(json.dumps(change(description)).encode(), np.uint8))
    return description  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "of another program"), ("format", None), ("dtype", "no type"), ("dtype", None),
     ("n_tokens", None), ("n_tokens", "x"), ("vocabulary", None), ("vocabulary", {"n_vocab": 128}),
     ("vocabulary", {"n_vocab": None, "sha256": 5}), ("vocabulary", [1, 2])],
)  # fmt: skip
def test_a_damaged_description_is_refused(key: str, value: Any, path: Path) -> None:
    write_tokens(["abc"], path, Letters())
    description = rewrite(path, lambda found: found | {key: value})
    with pytest.raises(ValueError, match=rf"^{path} "):
        read_tokens(path, Letters())
    del description[key]
    rewrite(path, lambda _: description)
    with pytest.raises(ValueError, match=rf"^{path} "):
        read_tokens(path, Letters())


def test_a_description_has_no_more_than_64_kilobytes(path: Path) -> None:
    write_tokens(["abc"], path, Letters())
    rewrite(path, lambda found: found | {"more": "x" * 60_000})
    assert read_tokens(path, Letters()).tolist() == [97, 98, 99]
    rewrite(path, lambda found: found | {"more": "x" * 65_536})
    with pytest.raises(ValueError, match="there is no description of its vocabulary"):
        read_tokens(path)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (np.arange(9, dtype="<i8"), "holds an array of type int64 and shape (9,), not unsigned"),
        (np.arange(9.0), "holds an array of type float64 and shape (9,), not unsigned integers"),
        (np.ones((2, 3), "u2"), "holds an array of type uint16 and shape (2, 3), not unsigned"),
        (np.array([None]), "holds an array of type object and shape (1,), not unsigned integers"),
        (np.arange(9, dtype="u2"), "is cut short after its ids, or was not written by "),
    ],
)
def test_a_file_that_write_tokens_did_not_write_is_refused(
    ids: Any, message: str, path: Path
) -> None:
    np.save(path, ids)
    with pytest.raises(ValueError, match="write_tokens") as caught:
        read_tokens(path)
    assert message in str(caught.value)


def test_what_is_no_npy_file_is_refused(path: Path) -> None:
    path.write_text("Once upon a time there were four little Rabbits", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file of write_tokens, or cut short in its head"):
        read_tokens(path)
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.arange(9, dtype="u2"), version=(2, 0))
    with pytest.raises(ValueError, match=r"in its header: another version of the format$"):
        read_tokens(path)
    with pytest.raises(FileNotFoundError):
        read_tokens(path.with_name("none"))


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_in_a_file_is_unpickled(path: Path) -> None:
    sprung = path.with_name("sprung")
    pickle.loads(pickle.dumps(Trap(path)))
    assert path.exists()
    with open(path, "wb") as file:
        np.save(file, np.arange(9, dtype="u2"))
        np.save(file, np.array([Trap(sprung)], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="there is no description of its vocabulary"):
        read_tokens(path)
    assert not sprung.exists()


def test_a_file_whose_header_was_changed_is_refused(path: Path) -> None:
    write_tokens(["a" * 50], path, Letters())
    data = path.read_bytes()
    for old, new, found in [
        (b"'|u1'", b"'<u2'", "50 ids of type uint16"),
        (b"(50,)", b"(49,)", "49 ids of type uint8"),
    ]:
        # Keep the description where the changed header makes us look for it.
        changed = data.replace(old, new, 1).replace(b"a" * 50, b"a" * (100 if b"u2" in new else 49))
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="was changed") as caught:
            read_tokens(path)
        assert str(caught.value) == (
            f"{path} was changed: its header tells of {found}, but 50 of type uint8 were written"
        )


def test_files_of_the_first_version_stay_readable(path: Path) -> None:
    write_tokens(["ab", "c"], path, Letters(200), separator=5)
    description = rewrite(path, lambda found: found | {"format": "companion.windows 1"})
    del description["vocabulary"]
    assert description == {
        "format": "companion.windows 2", "n_tokens": 5, "dtype": "|u1", "n_documents": 2,
        "separator": 5,
    }  # fmt: skip
    assert read_tokens(path).tolist() == [97, 98, 5, 99, 5]
    with pytest.raises(ValueError, match="earlier version") as caught:
        read_tokens(path, Letters(200))
    assert str(caught.value) == (
        f"{path} was written by an earlier version, whose description cannot be compared with a "
        "tokenizer; write it again, or read it without a tokenizer"
    )
