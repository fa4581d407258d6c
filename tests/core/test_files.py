"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest

from companion._files import atomic_write


def in_folder(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "file") as file:
        file.write(b"-new")
        file.seek(0)
        file.write(b"a")
        assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    assert in_folder(tmp_path) == {"file": b"anew"}


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: BaseException
) -> None:
    (tmp_path / "file").write_bytes(b"old")

    def fail() -> None:
        with atomic_write(tmp_path / "file") as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert in_folder(tmp_path) == {"file": b"old"}


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    getattr(os, "mkfifo", Path.mkdir)(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(OSError, match="is a folder, a device or a pipe; name a regular file"):
            atomic_write(path).__enter__()
