"""Tables of calls that must be refused, each with its error and the start of the message."""

import re
from collections.abc import Callable, Sequence

import pytest

Refusal = tuple[Callable[[], object], type[Exception], str]


def refused(table: Sequence[Refusal]) -> Callable[..., None]:
    """Return a test of each call in a table."""

    @pytest.mark.parametrize(("call", "error", "message"), table)
    def test(call: Callable[[], object], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=f"^{re.escape(message)}"):
            call()

    return test
