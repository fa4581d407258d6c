"""A tokenized corpus in a file that may be larger than memory (chapter `windows`).

`write_tokens` tokenizes documents into a file once; `read_tokens` maps the file into memory.
"""

import hashlib
import json
import multiprocessing
import os
import pickle
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from threading import Thread
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from companion._arrays import Ids, as_array
from companion._checks import as_id, at_least, describe, require_text, shortened
from companion._files import atomic_write
from companion._progress import progress_bar
from companion.tokenizer import Tokenizer

__all__ = ["read_tokens", "write_tokens"]

IdMap: TypeAlias = "np.memmap[Any, np.dtype[np.unsignedinteger[Any]]]"

# The file holds two arrays, one after the other, as `numpy.save` writes them: the ids, and a
# description in JSON as an array of bytes. A program that maps the file as .npy sees the ids.
_FORMAT = "companion.windows 2"
_FIRST_FORMAT = "companion.windows 1"  # its hash is of decoded texts, which can hide a difference
_MANY_IDS = 2**21
"""How many ids of a vocabulary are compared; published vocabularies have far fewer."""


# ------------------------------------------------------------------------------ writing


def write_tokens(
    documents: Iterable[str],
    path: str | os.PathLike[str],
    tokenizer: Tokenizer,
    *,
    separator: int | str | None = None,
    progress: bool = False,
    num_workers: int = 0,
) -> int:
    """Tokenize documents into a file, one after the other; return the number of ids written.

    The ids are stored in the smallest unsigned integer type that holds the vocabulary: two bytes
    each for GPT-2. Documents are read when they are needed and their ids are written at once, so
    neither the corpus nor its ids need to fit into memory.

    The file appears when it is complete; until then its name ends in ``.part``. If anything fails,
    that file is deleted and an old file at `path` stays as it was; only a process that is killed
    leaves its ``.part`` behind.

    Parameters
    ----------
    documents : iterable of str
        The texts, for example a generator: ``(path.read_text() for path in paths)``.
    path : str or path
        Where to write: at exactly this path, in numpy's ``.npy`` format.
    separator : int or str, optional
        An id, or a text such as ``"<|endoftext|>"`` for which the tokenizer has one id. It
        follows each document.
    progress : bool, optional
        Show a progress bar of `tqdm`, which must be installed.
    num_workers : int, optional
        Number of processes that tokenize; with 0, this process does. The file is the same. The
        tokenizer must be one that can be pickled. The processes end when this one ends.

    Raises
    ------
    ValueError
        If the separator is not one id of the vocabulary, or the tokenizer returns an id outside
        its vocabulary.
    RuntimeError
        If the tokenizer raises, in another process, an error that cannot be pickled. Any other
        error of the tokenizer is raised as it is, with a note that names the document.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from companion.bpe import gpt2
    >>> from companion.windows import read_tokens, write_tokens
    >>> path = pathlib.Path(tempfile.mkdtemp(), "corpus.npy")
    >>> write_tokens(["Once upon", " a time"], path, gpt2(), separator="<|endoftext|>")
    6
    >>> read_tokens(path)
    memmap([ 7454,  2402, 50256,   257,   640, 50256], dtype=uint16)
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents must be an iterable of strings, not {describe(documents)}; "
            "write [text] for one document"
        )
    if not isinstance(tokenizer, Tokenizer):
        raise TypeError(f"tokenizer must have encode, decode and n_vocab: {describe(tokenizer)}")
    num_workers = at_least(0, num_workers, "num_workers")
    encoder = _Encoder(tokenizer, _separator_id(separator, tokenizer))
    if progress:
        documents = progress_bar(documents, desc="write_tokens", unit=" documents")
    with (
        atomic_write(path) as file,
        closing(_encoded(documents, encoder, num_workers)) as encoded,
    ):
        n_documents, n_tokens = _write_ids(file, encoded, encoder.dtype)
        description = {
            "format": _FORMAT,
            "n_tokens": n_tokens,
            "dtype": encoder.dtype.str,
            "n_documents": n_documents,
            "separator": encoder.separator,
            "vocabulary": _describe_vocabulary(tokenizer),
        }
        np.save(file, np.frombuffer(json.dumps(description).encode(), np.uint8))
    return n_tokens


class _Encoder:
    """Turns a document into ids of the type of the file, the separator after them."""

    def __init__(self, tokenizer: Tokenizer, separator: int | None) -> None:
        self._tokenizer, self.separator = tokenizer, separator
        self.n_vocab = tokenizer.n_vocab
        # 256 ids fit into one byte, 257 into two. The lower byte comes first, whatever the machine:
        # a file may be read on another one.
        self.dtype = np.min_scalar_type(max(self.n_vocab - 1, 0)).newbyteorder("<")
        self._end = np.array([] if separator is None else [separator], self.dtype)

    def __call__(self, number: int, document: str) -> Ids:
        try:
            found = self._tokenizer.encode(document)
        except Exception as error:
            if sys.version_info >= (3, 11):
                error.add_note(f"This was document {number}: {shortened(document)}")
            raise
        ids = as_array(found, f"the ids of document {number}")
        for extreme in (ids.min(), ids.max()) if len(ids) else ():
            # Converted to a smaller type, it would silently become another id.
            if not 0 <= extreme < self.n_vocab:
                raise ValueError(
                    f"the tokenizer gave the id {extreme} for document {number}, outside its own "
                    f"vocabulary of {self.n_vocab} tokens (0 to {self.n_vocab - 1})"
                )
        return np.concatenate([ids.astype(self.dtype), self._end])


def _numbered(documents: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, document in enumerate(documents):
        require_text(document, f"document {number}")
        yield number, document


def _write_ids(file: BinaryIO, encoded: Iterator[Ids], dtype: np.dtype[Any]) -> tuple[int, int]:
    """Write an array of all ids; return the numbers of documents and of ids."""

    def write_header() -> None:
        # numpy leaves room in it for the number to grow.
        header = {"descr": dtype.str, "fortran_order": False, "shape": (n_tokens,)}
        np.lib.format.write_array_header_1_0(file, header)

    n_documents = n_tokens = 0
    write_header()
    for ids in encoded:
        file.write(ids.tobytes())
        n_documents, n_tokens = n_documents + 1, n_tokens + len(ids)
    end = file.tell()
    file.seek(0)
    write_header()
    file.seek(end)
    return n_documents, n_tokens


# ------------------------------------------------------------------------------ workers


def _encoded(
    documents: Iterable[str], encoder: _Encoder, num_workers: int
) -> Generator[Ids, None, None]:
    """Yield the ids of each document in order, encoded here or in other processes."""
    if num_workers == 0:
        for number, document in _numbered(documents):
            yield encoder(number, document)
        return
    with ProcessPoolExecutor(num_workers, initializer=_start, initargs=(encoder,)) as pool:
        waiting: deque[Future[list[Ids]]] = deque()
        try:
            for batch in _batches(documents):
                waiting.append(pool.submit(_encode_all, batch))
                # Read no more documents than the workers need next: the memory stays bounded.
                if len(waiting) > 2 * num_workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _batches(documents: Iterable[str], size: int = 2**18) -> Iterator[list[tuple[int, str]]]:
    """Group documents until they have `size` characters, enough to send to another process."""
    batch: list[tuple[int, str]] = []
    length = 0
    for number, document in _numbered(documents):
        batch.append((number, document))
        length += len(document)
        if length >= size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


_encoder: _Encoder


def _start(encoder: _Encoder) -> None:
    """Prepare a worker process: it keeps the encoder, which so is sent once."""
    global _encoder
    _encoder = encoder
    parent = multiprocessing.parent_process()
    if parent is not None:
        # A pool whose process was killed by SIGTERM would wait for work for ever.
        Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _encode_all(batch: list[tuple[int, str]]) -> list[Ids]:
    found = []
    for number, document in batch:
        try:
            found.append(_encoder(number, document))
        except Exception as error:
            try:
                pickle.loads(pickle.dumps(error))
            except Exception:
                # It could not reach the other process; there, the pool would be broken instead.
                raise RuntimeError(
                    f"the tokenizer raised {type(error).__name__} for document {number}, "
                    f"{shortened(document)}: {error}"
                ) from None
            raise
    return found


# ------------------------------------------------------------------------------ vocabularies


def _separator_id(separator: int | str | None, tokenizer: Tokenizer) -> int | None:
    if separator is None:
        return None
    if not isinstance(separator, str):
        token_id = as_id(separator, "separator")
    elif (found := _id_of(separator, tokenizer)) is not None:
        token_id = found
    else:
        raise ValueError(
            f"separator {separator!r} is not one token of the tokenizer; give the text of a "
            "special token that it has, or an id"
        )
    if not 0 <= token_id < tokenizer.n_vocab:
        raise ValueError(
            f"separator {token_id} is not an id of the vocabulary of {tokenizer.n_vocab} tokens "
            f"(0 to {tokenizer.n_vocab - 1})"
        )
    return token_id


def _id_of(text: str, tokenizer: Tokenizer) -> int | None:
    """Return the id of the one token that a text is, or None."""
    vocab = getattr(tokenizer, "vocab", None)
    if isinstance(vocab, Mapping) and text in vocab:
        return as_id(vocab[text], f"the id of {text!r}")
    encode: Any = tokenizer.encode
    try:
        try:
            ids = encode(text, allowed_special={text})  # as tiktoken and companion.bpe know it
        except TypeError:
            ids = encode(text)
        # The one id may be that of the unknown token.
        return as_id(ids[0], "an id") if tokenizer.decode(ids) == text and len(ids) == 1 else None
    except (LookupError, ValueError):
        return None


def _describe_vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    """Describe which token each id is: how many ids there are, and a hash of the tokens."""
    digest = hashlib.sha256()
    for token_id in _ids_to_compare(tokenizer):
        token = _token_bytes(tokenizer, token_id)
        if token is not None:
            digest.update(b"%d %d " % (token_id, len(token)))
            digest.update(token)
    return {"n_vocab": tokenizer.n_vocab, "sha256": digest.hexdigest()}


def _ids_to_compare(tokenizer: Tokenizer) -> Iterable[int]:
    """Return all ids, or of a very large vocabulary those in use, or evenly spaced ones."""
    vocab = getattr(tokenizer, "vocab", None)
    if tokenizer.n_vocab > _MANY_IDS and isinstance(vocab, Mapping):
        return sorted(vocab.values())  # a few ids of some billion may be in use
    return range(0, tokenizer.n_vocab, max(1, -(-tokenizer.n_vocab // _MANY_IDS)))


def _token_bytes(tokenizer: Tokenizer, token_id: int) -> bytes | None:
    """Return the bytes of a token, or None if ids have a gap here."""
    # A token may be a part of a character: decoded to text, many such tokens look the same.
    as_bytes = getattr(tokenizer, "decode_single_token_bytes", None)
    try:
        if as_bytes is not None:
            return bytes(as_bytes(token_id))
        return tokenizer.decode([token_id]).encode(errors="surrogatepass")
    except LookupError:
        return None


# ------------------------------------------------------------------------------ reading


def read_tokens(path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> IdMap:
    """Map a file of `write_tokens` into memory: its ids, of an unsigned type, read-only.

    The ids stay in the file. The operating system fetches the parts that are read and drops them
    again when memory runs short, so the file may be larger than memory, and the processes of a
    machine share what was fetched.

    Parameters
    ----------
    tokenizer : Tokenizer, optional
        Makes sure that the ids are ids of this tokenizer: each must be the same token, byte by
        byte, as for the tokenizer of the file.

    Raises
    ------
    ValueError
        If `write_tokens` did not write the file, its header, its length or its description was
        damaged, or its ids are those of another vocabulary; the message says which.

    Notes
    -----
    The time does not depend on the length of the file: the ids themselves are not checked. Of a
    vocabulary of more than two million ids those in the tokenizer's `vocab` are compared, or,
    without a `vocab`, about two million that are evenly spaced.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from companion.bpe import gpt2
    >>> from companion.windows import read_tokens, write_tokens
    >>> path = pathlib.Path(tempfile.mkdtemp(), "corpus.npy")
    >>> write_tokens(["to be", " or not to be"], path, gpt2())
    6
    >>> read_tokens(path, gpt2())
    memmap([1462,  307,  393,  407,  284,  307], dtype=uint16)
    """
    with open(path, "rb") as file:
        dtype, n_tokens = _read_header(file, path)
        start = file.tell()
        n_bytes = os.fstat(file.fileno()).st_size - start
        if n_bytes < n_tokens * dtype.itemsize:
            raise ValueError(
                f"{path} is cut short: it should hold {n_tokens} ids, but there are "
                f"{n_bytes // dtype.itemsize}; write it again with write_tokens"
            )
        file.seek(start + n_tokens * dtype.itemsize)
        description = _read_description(file, path)
        if (description["dtype"], description["n_tokens"]) != (dtype, n_tokens):
            raise ValueError(
                f"{path} was changed: its header tells of {n_tokens} ids of type {dtype}, but "
                f"{description['n_tokens']} of type {description['dtype']} were written"
            )
        if tokenizer is not None:
            _require_vocabulary(description, tokenizer, path)
        return np.memmap(file, dtype=dtype, mode="r", offset=start, shape=(n_tokens,))


def _read_header(file: BinaryIO, path: Any) -> tuple[np.dtype[Any], int]:
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("another version of the format")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except OSError:
        raise
    except Exception as error:  # numpy parses the header as Python: it may raise anything
        raise ValueError(
            f"{path} is not a file of write_tokens, or cut short in its header: {error}"
        ) from None
    if dtype.kind != "u" or len(shape) != 1 or shape[0] < 0:
        raise ValueError(
            f"{path} is not a file of write_tokens: it holds an array of type {dtype} and shape "
            f"{shape}, not unsigned integers in one dimension"
        )
    return dtype, int(shape[0])


def _read_description(file: BinaryIO, path: Any) -> dict[str, Any]:
    """Read the array of bytes that follows the ids."""
    try:
        np.lib.format.read_magic(file)
        shape, _, _ = np.lib.format.read_array_header_1_0(file)
        data = file.read(2**16)  # far more than a description has, far less than a corpus
        found = json.loads(data)
        if shape == (len(data),) and found["format"] in (_FORMAT, _FIRST_FORMAT):
            vocabulary = found["vocabulary"]
            return {
                "format": found["format"],
                "n_tokens": found["n_tokens"],
                "dtype": np.dtype(found["dtype"]),
                "vocabulary": {"n_vocab": vocabulary["n_vocab"], "sha256": vocabulary["sha256"]},
            }
    except OSError:
        raise
    except Exception:  # whatever the damage is, there is no description
        pass
    raise ValueError(
        f"{path} is cut short after its ids, or was not written by write_tokens: there is no "
        "description of its vocabulary; np.load(path, mmap_mode='r') maps any .npy file"
    )


def _require_vocabulary(description: dict[str, Any], tokenizer: Tokenizer, path: Any) -> None:
    if description["format"] == _FIRST_FORMAT:
        raise ValueError(
            f"{path} was written by an earlier version, whose description cannot be compared "
            "with a tokenizer; write it again, or read it without a tokenizer"
        )
    written = description["vocabulary"]
    if written["n_vocab"] != tokenizer.n_vocab:
        raise ValueError(
            f"{path} was written with another vocabulary: of {written['n_vocab']} tokens, while "
            f"the tokenizer has {tokenizer.n_vocab}"
        )
    if written != _describe_vocabulary(tokenizer):
        raise ValueError(
            f"{path} was written with another vocabulary: of {written['n_vocab']} tokens too, but "
            "some ids are other tokens"
        )
