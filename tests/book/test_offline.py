"""No test and no chapter reaches the network."""

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from pytest_socket import SocketConnectBlockedError

KERNEL = {"name": "python3", "display_name": "Python 3"}


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_test_that_asks_for_the_network_fails() -> None:
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_a_chapter_that_asks_for_the_network_fails(
    nbval: Callable[[Path, Path], "subprocess.CompletedProcess[str]"], site: Path, tmp_path: Path
) -> None:
    cell = new_code_cell("import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')")
    notebook = new_notebook(cells=[cell], metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, tmp_path / "asks.ipynb")
    done = nbval(tmp_path / "asks.ipynb", tmp_path)
    assert done.returncode == 1
    assert "a chapter must run without a network, but asks for ('192.0.2.1', 80)" in done.stdout
