"""Run the chapters in a kernel that behaves the same on every machine.

The kernel reads its settings from a folder of our own rather than from the user's: errors print as
one line, without the frames and paths of this machine, no startup file has a say, and a chapter
that asks for the network fails.
"""

import os
from pathlib import Path

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


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)
