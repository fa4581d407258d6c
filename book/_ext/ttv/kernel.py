"""Run the chapters in a kernel that behaves the same on every machine.

The kernel reads its settings from a folder of our own rather than from the user's: errors print as
one line, without the frames and paths of this machine, no startup file has a say, and a chapter
that asks for the network fails.

Each chapter has a kernel of its own, but it is a copy of a process that has loaded torch and
matplotlib already, where processes can be copied: to load them takes longer than most chapters.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Lock
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from sphinx.application import Sphinx

SETTINGS = '''\
"""Settings of the kernel that runs the chapters; written by book/_ext/ttv/kernel.py."""
import os
import socket
import warnings

from ipykernel.iostream import OutStream

# What a cell prints arrives in one piece when it ends, however long it takes.
OutStream.flush_interval = 3600

c.InteractiveShell.xmode = "Minimal"
c.InteractiveShell.colors = "nocolor"
c.HistoryManager.enabled = False
c.Application.log_level = "ERROR"

# transformers imports tqdm, which asks for a package that draws its bars; chapters show none.
warnings.filterwarnings("ignore", message="IProgress not found")

# A chapter that draws published weights where the reader has them draws none here.
os.environ.pop("TEXT_TO_VECTORS_WEIGHTS", None)

connect = socket.socket.connect


def connect_here(self, address):
    """Let a connection through if it stays on this machine."""
    host = address[0] if isinstance(address, tuple) else "localhost"  # a path: no network at all
    if host not in {"localhost", "127.0.0.1", "::1"}:
        raise OSError(f"a chapter must run without a network, but asks for {address}")
    return connect(self, address)


socket.socket.connect = connect_here
'''

LIBRARIES = ("ipykernel.kernelapp", "ipykernel.debugger", "IPython.core.completerlib",
             "IPython.extensions.storemagic", "matplotlib.backends.backend_agg",
             "matplotlib.pyplot", "numpy", "torch")  # fmt: skip
"""What nearly every chapter loads, and nothing of the book: a chapter must see that as it is."""
# matplotlib chooses its backend when it is loaded.
ORIGINAL = """\
import gc, importlib, json, os, runpy, signal, sys
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # nobody sees what the debugger would warn of
for name in sys.argv[1:]:
    importlib.import_module(name)
gc.freeze()  # what is loaded stays: no copy need look through it
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a copy that has ended
for line in sys.stdin:
    if os.fork():
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    print(os.getpid(), flush=True)
    command, environment, folder, silent = json.loads(line)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2) if silent else (0, 1):
        os.dup2(nothing, stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment, JPY_PARENT_PID=str(os.getppid()))
    sys.argv = command[command.index("-m") + 1 :]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    os._exit(0)
"""
"""The program of the process that is copied: for each line that it reads, it starts a kernel."""
COPYING = Lock()


@cache
def original() -> "subprocess.Popen[str]":
    """Start the process that is copied; it ends with this one."""
    command = [sys.executable, "-c", ORIGINAL, *LIBRARIES]
    pipe = subprocess.PIPE
    # Its own session: Ctrl+C is for this process.
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, encoding="utf-8", start_new_session=True
    )


@dataclass
class Copy:
    """A kernel that is no child of this process; it has what jupyter asks of a `Popen`.

    All its signals go to its group.
    """

    pid: int
    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Return None as long as it runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll  # jupyter waits only for what has ended


class CopyProvisioner(LocalProvisioner):
    """Starts a kernel as a copy of the original."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel; what it is given is what a process of its own would be given."""
        if cmd[0] != sys.executable:  # of another environment, such as that of tools/colab.py
            return await super().launch_kernel(cmd, **kwargs)
        order = [cmd, kwargs["env"], str(kwargs.get("cwd") or Path.cwd()), "stderr" in kwargs]
        with COPYING:
            process = original()
            assert process.stdin is not None
            assert process.stdout is not None
            print(json.dumps(order), file=process.stdin, flush=True)
            pid = int(process.stdout.readline())
        self.process = Copy(pid)  # type: ignore[assignment]
        self.pid = self.pgid = pid
        return self.connection_info


def copy_kernels() -> None:
    """Have all kernels that this process starts be copies, where processes can be copied."""
    if hasattr(os, "fork") and sys.platform != "darwin":  # Apple's libraries do not survive it
        factory = KernelProvisionerFactory.instance()
        place = f"{CopyProvisioner.__module__}:{CopyProvisioner.__qualname__}"
        factory.provisioners["copy"] = EntryPoint("copy", place, factory.GROUP_NAME)
        factory.default_provisioner_name = "copy"


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)
    copy_kernels()
