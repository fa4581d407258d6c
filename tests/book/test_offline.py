"""No test and no chapter reaches the network."""

import socket

import nbclient
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from pytest_socket import SocketConnectBlockedError


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_test_that_asks_for_the_network_fails() -> None:
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


@pytest.mark.usefixtures("site")
def test_a_chapter_that_asks_for_the_network_fails() -> None:
    cell = new_code_cell("import urllib.request\nurllib.request.urlopen('http://192.0.2.1/')")
    refusal = r"a chapter must run without a network, but asks for \('192.0.2.1', 80\)"
    with pytest.raises(CellExecutionError, match=refusal):
        nbclient.execute(new_notebook(cells=[cell]), kernel_name="python3")
