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


@pytest.mark.skipif(os.name == "nt", reason="Windows lets only some users make links")
@pytest.mark.parametrize("target_exists", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path, target_exists: bool) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    if target_exists:
        (folder / "file").write_bytes(b"old")
        (folder / "file").chmod(0o604)
    link.symlink_to(Path("folder", "file"))
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert in_folder(folder) == {"file": b"new"}
    assert not target_exists or (folder / "file").stat().st_mode & 0o777 == 0o604


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    getattr(os, "mkfifo", Path.mkdir)(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(OSError, match="is a folder, a device or a pipe; name a regular file"):
            atomic_write(path).__enter__()
