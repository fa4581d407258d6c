"""Progress is drawn by tqdm, which is loaded only when it is asked for."""

import sys

import pytest

from companion._progress import progress_bar


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress_bar(range(3), desc="counting", unit=" steps")) == [0, 1, 2]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("\rcounting:")
    assert "| 3/3 [" in captured.err


def test_without_tqdm_the_error_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r"^progress=True needs .* pip install tqdm, or .* out$"):
        progress_bar(range(3))
