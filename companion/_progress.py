"""Progress bars, drawn by tqdm where a caller asks for one."""

from collections.abc import Iterable
from typing import Any


def progress_bar(iterable: Iterable[Any] | None = None, **options: Any) -> Any:
    """Return a `tqdm` bar on standard error; `options` are those of `tqdm.tqdm`."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "progress=True needs the package tqdm: pip install tqdm, or leave progress out"
        ) from error
    return tqdm(iterable, **options)
