"""No test and no chapter reaches the network."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_socket import SocketConnectBlockedError


def test_a_test_that_asks_for_the_network_fails() -> None:
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_a_chapter_that_asks_for_the_network_fails(site: Path, tmp_path: Path) -> None:
    code = "import urllib.request; urllib.request.urlopen('http://192.0.2.1/', timeout=1)"
    notebook = (
        '{"cells": [{"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, '
        f'"outputs": [], "source": "{code}"}}], '
        '"metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, '
        '"nbformat": 4, "nbformat_minor": 5}'
    )
    (tmp_path / "asks.ipynb").write_text(notebook, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["-c", os.devnull, "--nbval", "--nbval-current-env", "asks.ipynb"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert "a chapter must run without a network, but asks for ('192.0.2.1', 80)" in done.stdout
