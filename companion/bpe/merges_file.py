"""Files of `companion.bpe`: GPT-2's ``vocab.bpe``, also called ``merges.txt``; `tokenizer.json`."""

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.bpe.alphabet import BYTE_TO_UNICODE, SIGN_TO_BYTE
from companion.bpe.merging import Pair
from companion.bpe.splitting import GPT2_PATTERN
from companion.checks import shortened
from companion.patterns import is_read_alike


def format_merges(merges: Iterable[Pair]) -> bytes:
    """Write merges as a line with the version, then one merge a line."""
    return "".join(f"{line}\n" for line in ["#version: 0.2", *_lines(merges)]).encode()


def parse_merges(text: str, name: str) -> list[Pair]:
    """Read the merges of a file's content, whose first line may be a version; errors name lines."""
    if text and not text.endswith("\n"):
        raise ValueError(
            f"the last line of {name} does not end in a line break, so the file may be cut short; "
            "write it again, or add the line break if nothing is missing"
        )
    tokens = {sign: bytes([byte]) for sign, byte in SIGN_TO_BYTE.items()}
    merges: list[Pair] = []
    for number, line in numbered_merges(text):
        left, right = pair_of(line) or ("", "")
        if left not in tokens or right not in tokens:
            raise ValueError(
                f"line {number} of {name} must hold two tokens with a space between, each a byte "
                f"or the result of a line above, not {shortened(line)}; where ▁ or </w> is "
                "written, characters merge and not bytes: open such a model with inspector.Pipeline"
            )
        merges.append((tokens[left], tokens[right]))
        tokens[left + right] = tokens[left] + tokens[right]
    return merges


def numbered_merges(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a file's content with its number, but for a version in the first."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, 1):
        if number > 1 or not line.startswith("#version"):
            yield number, line


def pair_of(merge: object) -> tuple[str, str] | None:
    """Return the two tokens of a merge, which a file writes as a pair or with a space between."""
    match merge.split(" ") if isinstance(merge, str) else merge:
        case [str(left), str(right)]:
            return left, right
    return None


def _shown(token: bytes) -> str:
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


def _lines(merges: Iterable[Pair]) -> list[str]:
    return [f"{_shown(left)} {_shown(right)}" for left, right in merges]


def tokenizer_json(
    merges: Iterable[Pair],
    vocab: Mapping[bytes, int],
    pattern: str,
    special_tokens: Mapping[str, int],
) -> bytes:
    """Return the content of a `tokenizer.json`; a `ValueError` names what it cannot say."""
    ids = {_shown(token): token_id for token, token_id in vocab.items()}
    for name in special_tokens:
        if name in ids or (SIGN_TO_BYTE.keys() >= set(name) and not name.isascii()):
            spelled = bytes([SIGN_TO_BYTE[sign] for sign in name])
            raise ValueError(
                f"a tokenizer.json writes the {'token' if name in ids else 'bytes'} {spelled!r} as "
                f"{name!r}, so no special token may have this name; take another, such as '<|end|>'"
            )
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    cutter: dict[str, Any] = byte_level | {"use_regex": True}
    if pattern != GPT2_PATTERN:
        if not is_read_alike(pattern):
            raise ValueError(
                f"tokenizers, which reads a tokenizer.json, takes the pattern {pattern!r} in "
                "another way than tiktoken; write \\p{L}, \\p{N} and \\p{M} for \\w, {1,3} for "
                "{1,3}+, and \\A and \\z for ^ and $"
            )
        split = {"pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        steps = [{"type": "Split", **split}, byte_level | {"use_regex": False}]
        cutter = {"type": "Sequence", "pretokenizers": steps}
    switches = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    content = {
        "version": "1.0",
        "added_tokens": [
            {"id": token_id, "content": name, **switches, "special": True}
            for name, token_id in special_tokens.items()
        ],
        "pre_tokenizer": cutter,
        # With the special tokens among the others these keep the ids that they have.
        "model": {"type": "BPE", "vocab": ids | dict(special_tokens), "merges": _lines(merges)},
        "decoder": byte_level | {"use_regex": True},
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def warn_of_other_ids(path: str | os.PathLike[str], vocab: Mapping[bytes, int]) -> None:
    """Warn if a ``vocab.json`` beside a file of merges gives other ids to the same tokens."""
    beside = Path(path).with_name("vocab.json")
    with suppress(OSError, ValueError, AttributeError):  # there is none, or it is no vocab.json
        theirs = json.loads(beside.read_text(encoding="utf-8"))
        if others := [token for token, i in vocab.items() if theirs.get(_shown(token)) != i]:
            warnings.warn(
                f"{beside} gives other ids to {len(others)} tokens, such as {others[0]!r}; a model "
                "that goes with it needs those: inspector.Pipeline.from_file(folder)",
                stacklevel=3,
            )
