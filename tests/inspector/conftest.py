"""What the tests of the inspector share."""

import pytest

from inspector import child


@pytest.fixture(autouse=True)
def asked_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of transformers is answered in this process, which has imported it already."""
    monkeypatch.setattr("inspector.library._answered", child.answer)
