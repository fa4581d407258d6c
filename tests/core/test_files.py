"""A file is written whole or not at all."""

import os
from pathlib import Path

import pytest

from companion._files import atomic_write, bundled


def test_the_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_write(path) as file:
        file.write(b"-new")
        file.seek(0)
        file.write(b"a")
        assert not path.exists()
        assert all(part.suffix == ".part" for part in tmp_path.iterdir())
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"anew"


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail() -> None:
        with atomic_write(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert [found.name for found in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="Windows lets only some users make links")
@pytest.mark.parametrize("target_exists", [True, False])
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path, target_exists: bool) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "file"
    if target_exists:
        target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(Path("folder", "file"))
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert [found.name for found in target.parent.iterdir()] == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permissions of this kind")
def test_the_permissions_of_an_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o604)
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_folder_is_refused_and_one_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        atomic_write(tmp_path).__enter__()
    with pytest.raises(FileNotFoundError, match=r"the folder .*gone does not exist; make it first"):
        atomic_write(tmp_path / "gone" / "file").__enter__()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe that has a name")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is a device or a pipe"):
        atomic_write(tmp_path / "pipe").__enter__()
    assert (tmp_path / "pipe").is_fifo()


def test_a_bundled_file_must_be_the_published_one() -> None:
    published = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
    assert bundled("vocab.bpe", published).startswith(b"#version: 0.2\n")
    message = f"^the bundled vocab.bpe has the SHA-256 {published}, not 123; install the package"
    with pytest.raises(ValueError, match=message):
        bundled("vocab.bpe", "123")
