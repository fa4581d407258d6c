"""Name the installed version of a library where a page says `{{ transformers }}`."""

# So no page changes when a pin does. A version of the past, as in "since 4.57", is text.
import re
from importlib.metadata import version

from sphinx.application import Sphinx
from sphinx.config import Config

LIBRARIES = "sentencepiece", "tiktoken", "tokenizers", "torch", "transformers"
PLACE = re.compile(rf"\{{\{{ ({'|'.join(LIBRARIES)}) \}}\}}")


def version_of(library: str) -> str:
    return ".".join(version(library).split(".")[:2])


def with_versions(source: str) -> str:
    """Fill in what Sphinx fills in, in the source of a page."""
    return PLACE.sub(lambda found: version_of(found[1]), source)


def _configure(_: Sphinx, config: Config) -> None:
    config.myst_substitutions = {library: version_of(library) for library in LIBRARIES}


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _configure)
