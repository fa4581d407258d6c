"""Run the chapters in a kernel that behaves the same on every machine.

The kernel reads its settings from a folder of our own rather than from the user's: errors print as
one line, without the frames and paths of this machine, and no startup file has a say.
"""

import os
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

SETTINGS = """\
c.InteractiveShell.xmode = "Minimal"
c.InteractiveShell.colors = "nocolor"
c.HistoryManager.enabled = False
c.Application.log_level = "ERROR"
"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    folder = Path(app.outdir).parent / "ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
