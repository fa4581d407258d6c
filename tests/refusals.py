"""Tables of what must be refused: the value, the limit and the way out stand in the message."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Refusal = tuple[Callable[[], object], type[Exception], str]


def refused(table: Sequence[Refusal]) -> Callable[..., None]:
    """Return a test of calls, each with its error and a part of the message."""

    @pytest.mark.parametrize(("call", "error", "message"), table)
    def test(call: Callable[[], object], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=re.escape(message)):
            call()

    return test


def refused_files(
    read: Callable[[Path], object], table: Sequence[tuple[str | bytes, str]]
) -> Callable[..., None]:
    """Return a test of files that are refused, each with a part of the message beside its path."""

    @pytest.mark.parametrize(("content", "message"), table, ids=[told for _, told in table])
    def test(content: str | bytes, message: str, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError, match=re.escape(message)) as caught:
            read(path)
        assert str(path) in str(caught.value)

    return test
