"""A limit of time for what a stranger's file may cost."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise a `TimeoutError` in what takes longer."""
    # In a thread, in a browser and under Windows there is no such alarm, and nothing is limited.

    def stop(*_: object) -> NoReturn:
        raise TimeoutError(f"it took longer than {seconds:g} seconds")

    try:
        before = signal.signal(signal.SIGALRM, stop)
        timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    except (ValueError, AttributeError):
        yield
        return
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)  # another limit, which goes on
