"""Each chapter has a kernel of its own, though all are copies of one process."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

pytestmark = pytest.mark.skipif(
    sys.platform in {"win32", "darwin"}, reason="processes are not copied here"
)
Kernel = tuple[KernelManager, BlockingKernelClient]


@pytest.fixture
def kernels() -> Iterator[tuple[Kernel, Kernel]]:
    both = start_new_kernel(), start_new_kernel()
    yield both
    for manager, client in both:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def answer(client: BlockingKernelClient, code: str) -> str:
    """What a cell prints, or the name of its error."""
    said = []
    client.execute_interactive(code, timeout=60, output_hook=lambda message: said.append(message))
    contents = [message["content"] for message in said]
    return "".join(content.get("text", "") + content.get("ename", "") for content in contents)


def test_kernels_share_what_was_loaded_and_nothing_else(kernels: tuple[Kernel, Kernel]) -> None:
    (_, first), (_, second) = kernels
    known = "import os, sys; print(os.getppid(), 'torch' in sys.modules, 'x' in dir()"
    known += ", any(name.startswith(('companion', 'ttv')) for name in sys.modules))"
    parent, *rest = answer(first, known).split()
    assert rest == ["True", "False", "False"]
    answer(first, "import companion.words; x = os.environ['ONLY_HERE'] = '1'")
    assert answer(first, known).split() == [parent, "True", "True", "True"]
    assert answer(second, known).split() == [parent, "True", "False", "False"]
    assert answer(second, "os.environ['ONLY_HERE']") == "KeyError"


def test_a_kernel_is_interrupted_and_its_end_is_seen(
    kernels: tuple[Kernel, Kernel], tmp_path: Path
) -> None:
    (manager, client), (other, _) = kernels
    running = tmp_path / "running"
    request = client.execute(f"open({str(running)!r}, 'w').close()\nwhile True: pass")
    while not running.exists():
        time.sleep(0.01)
    manager.interrupt_kernel()
    reply = client.get_shell_msg(timeout=60)
    assert reply["parent_header"]["msg_id"] == request
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert manager.is_alive()
    manager.shutdown_kernel(now=True)
    assert not manager.is_alive()
    assert other.is_alive()
