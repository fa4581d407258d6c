"""How many rows a token table has, by the header of its file; no number of it is read."""

import json
import re
from pathlib import Path

from companion._filekinds import SAFETENSORS, kind_of

_TABLE = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)


def rows_of(folder: Path) -> tuple[int, str] | None:
    """Return the rows of the token table in a folder's `*.safetensors`, and where they are."""
    for path in sorted(folder.glob("*.safetensors")):
        with open(path, "rb") as file:
            data = file.read(4096)
            if (kind := kind_of(data)) and kind is not SAFETENSORS:
                continue  # such as a pointer of git-lfs
            size = int.from_bytes(data[:8], "little")
            try:
                if size + 8 > min(path.stat().st_size, 100_000_000):
                    raise ValueError(f"a header of {size:,} bytes")
                data += file.read(max(0, size + 8 - len(data)))
                for name, tensor in json.loads(data[8 : 8 + size]).items():
                    if _TABLE.fullmatch(name):
                        return int(tensor["shape"][0]), f"{name} in {path.name}"
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return None
