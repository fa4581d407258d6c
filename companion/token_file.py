"""A tokenized corpus in a file that may be larger than memory (chapter `windows`)."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from companion._arrays import Ids, as_array
from companion.checks import as_id, require_text, shortened
from companion.files import atomic_write, kind_of, refuse_others
from companion.tokenizer import Tokenizer

__all__ = ["read_tokens", "write_tokens"]

IdMap: TypeAlias = "np.memmap[Any, np.dtype[np.unsignedinteger[Any]]]"

# The file holds two arrays, one after the other, as `numpy.save` writes them: the ids, and a
# description in JSON as an array of bytes. A program that maps the file as .npy sees the ids.
_FORMAT = "companion.windows 2"


def write_tokens(
    documents: Iterable[str],
    path: str | os.PathLike[str],
    tokenizer: Tokenizer,
    *,
    separator: int | str | None = None,
    progress: bool = False,
) -> int:
    """Tokenize documents into a file, one after the other; return the number of ids written.

    An id takes as few bytes as the vocabulary allows: two for GPT-2. Neither the corpus nor its ids
    need to fit into memory. The file appears when it is complete; if anything fails, an old file at
    `path` stays as it was. `torch.utils.data.ConcatDataset` joins the windows of several files.

    Parameters
    ----------
    documents : iterable of str
        The texts, for example a generator: ``(path.read_text("utf-8") for path in paths)``.
    path : str or path
        Where to write: at exactly this path, in numpy's ``.npy`` format.
    separator : int or str, optional
        What follows each document: an id, or a text that is one token, as ``"<|endoftext|>"``.
    progress : bool, optional
        Show a progress bar of `tqdm`, which must be installed.

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
    if isinstance(documents, str):  # whose letters would be documents
        raise TypeError("documents must be an iterable of strings; for one document write [text]")
    end = [] if separator is None else [_separator_id(separator, tokenizer)]
    # The lower byte comes first, whatever the machine: a file may be read on another one.
    dtype = np.min_scalar_type(max(tokenizer.n_vocab - 1, 0)).newbyteorder("<")
    if progress:
        from tqdm import tqdm  # type: ignore[import-untyped]

        documents = tqdm(documents, desc="write_tokens", unit=" documents")
    with atomic_write(path) as file:
        # A header, the ids as they come, and the header again when their number is known.
        n_documents = n_tokens = 0
        _write_header(file, dtype, n_tokens)
        for ids in _encoded(documents, tokenizer):
            file.write(ids.astype(dtype).tobytes() + np.array(end, dtype).tobytes())
            n_documents, n_tokens = n_documents + 1, n_tokens + len(ids) + len(end)
        file.seek(0)
        _write_header(file, dtype, n_tokens)
        file.seek(0, os.SEEK_END)
        # Behind them what they are, so that a reader can tell.
        description: dict[str, Any] = {"format": _FORMAT, "n_tokens": n_tokens, "dtype": dtype.str}
        description |= {"n_documents": n_documents, "separator": end[0] if end else None}
        description["vocabulary"] = _describe_vocabulary(tokenizer)
        np.save(file, np.frombuffer(json.dumps(description).encode(), np.uint8))
    return n_tokens


def _write_header(file: BinaryIO, dtype: np.dtype[Any], n_tokens: int) -> None:
    """Write how many ids follow; numpy leaves room in a header for the number to grow."""
    header = {"descr": dtype.str, "fortran_order": False, "shape": (n_tokens,)}
    np.lib.format.write_array_header_1_0(file, header)


def _encoded(documents: Iterable[str], tokenizer: Tokenizer) -> Iterator[Ids]:
    """Yield the ids of each document."""
    for number, document in enumerate(documents):
        require_text(document, f"document {number}")
        try:
            found = tokenizer.encode(document)
        except Exception as error:
            error.add_note(f"This was document {number}: {shortened(document)}")
            raise
        ids = as_array(found, f"the ids of document {number}")
        for extreme in (ids.min(), ids.max()) if len(ids) else ():
            # Converted to a smaller type, it would silently become another id.
            if not 0 <= extreme < tokenizer.n_vocab:
                raise ValueError(
                    f"the tokenizer gave the id {extreme} for document {number}; its ids are 0 to "
                    f"{tokenizer.n_vocab - 1}"
                )
        yield ids


def _separator_id(separator: int | str, tokenizer: Tokenizer) -> int:
    """Return the one id of a separator."""
    if not isinstance(separator, str):
        token_id = as_id(separator, "separator")
        if not 0 <= token_id < tokenizer.n_vocab:
            limit = f"0 to {tokenizer.n_vocab - 1}"
            raise ValueError(f"separator {token_id} is not an id of the vocabulary ({limit})")
        return token_id
    vocab: Any = getattr(tokenizer, "vocab", {})
    if separator in vocab:
        return as_id(vocab[separator], "separator")
    encode: Any = tokenizer.encode
    try:
        ids = encode(separator, allowed_special={separator})  # tiktoken and companion.bpe
    except TypeError:
        ids = encode(separator)
    if len(ids) == 1 and tokenizer.decode(ids) == separator:  # not the unknown token
        return as_id(ids[0], "separator")
    raise ValueError(
        f"separator {separator!r} is not one token of the tokenizer; give another text or an id"
    )


def _describe_vocabulary(tokenizer: Any) -> dict[str, Any]:
    """Describe which token each id is: how many ids there are, and a hash of the tokens.

    Decoding may hide a difference: half a character becomes U+FFFD like any other, and Unigram's ▁a
    and a both give a. So the tokens themselves are asked for where that is possible.
    """
    vocab: Any = getattr(tokenizer, "vocab", None)
    names = {i: name for name, i in vocab.items()} if isinstance(vocab, Mapping) else {}
    listed = names.__getitem__ if names else lambda i: tokenizer.decode([i])
    token_of = getattr(tokenizer, "decode_single_token_bytes", listed)
    ids = sorted(names) if names and token_of is listed else range(tokenizer.n_vocab)
    digest = hashlib.sha256()
    for i in ids:
        with suppress(LookupError):  # ids may have a gap here
            token = token_of(i)
            data = token if isinstance(token, bytes) else str(token).encode(errors="surrogatepass")
            digest.update(b"%d %d %b" % (i, len(data), data))
    return {"n_vocab": tokenizer.n_vocab, "sha256": digest.hexdigest()}


def read_tokens(path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> IdMap:
    """Map a file of `write_tokens` into memory: its ids, of an unsigned type, read-only.

    The operating system fetches the parts that are read and drops them again when memory runs
    short, so the file may be larger than memory, and processes share what was fetched. A
    `ValueError` says that it is no file of `write_tokens`, or was cut short or damaged; the ids
    themselves are not checked. With a `tokenizer`, each id must be the same token as for that of
    the file.

    >>> import tempfile
    >>> from companion.bpe import gpt2
    >>> from companion.windows import read_tokens, write_tokens
    >>> path = tempfile.mkdtemp() + "/corpus.npy"
    >>> write_tokens(["to be", " or not"], path, gpt2())
    4
    >>> read_tokens(path, gpt2())
    memmap([1462,  307,  393,  407], dtype=uint16)
    """
    path = os.fspath(path)
    with open(path, "rb") as file:
        start = file.read(4096)
        refuse_others(path, start, "a file of write_tokens", "an array of numpy")
        if kind_of(start) is None:
            raise ValueError(
                f"{path} is no file of write_tokens; raw ids, as in nanoGPT's train.bin, are read "
                'by np.memmap(path, dtype=np.uint16, mode="r"), which SlidingWindows takes'
            )
        try:
            # Map the ids, and read what is behind them.
            ids: IdMap = np.load(path, mmap_mode="r")
            file.seek(ids.offset + ids.nbytes)
            description = json.loads(np.load(file).tobytes())
            found = {"format": _FORMAT, "n_tokens": len(ids), "dtype": ids.dtype.str}
            if not found.items() <= description.items():
                raise ValueError(f"its description does not say {found}")
            written = description["vocabulary"]
            n_vocab = written["n_vocab"]
        except Exception as error:  # numpy parses a header as Python, which may raise anything
            raise ValueError(
                f"{path} is not a file of write_tokens, or was cut short or damaged ({error}); "
                "write it again, or map any other .npy file with np.load(path, mmap_mode='r')"
            ) from None
    if tokenizer is not None and written != _describe_vocabulary(tokenizer):
        than = f", while the tokenizer has {tokenizer.n_vocab}"
        if n_vocab == tokenizer.n_vocab:
            than = " too, but some ids are other tokens"
        raise ValueError(f"{path} was written with another vocabulary: of {n_vocab} tokens{than}")
    return ids
