"""Progress of set-up on a terminal: what is being done and how long it took. Standard library only."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_WIDTH = 44


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show a step with its time; on a terminal the time counts while it runs.

    Args:
        title: what is done, as a few words.
    """
    start, done = time.monotonic(), threading.Event()
    live = sys.stdout.isatty()
    if live:
        threading.Thread(target=_count, args=(title, start, done), daemon=True).start()
    else:
        print(f"  {title.ljust(_WIDTH, '.')} ", end="", flush=True)
    failed = True
    try:
        yield
        failed = False
    finally:
        done.set()
        taken = f"{time.monotonic() - start:6.1f} s{'  failed' if failed else ''}"
        print(f"\r  {title.ljust(_WIDTH, '.')} {taken}" if live else taken, flush=True)


def _count(title: str, start: float, done: threading.Event) -> None:
    while not done.wait(0.5):
        print(f"\r  {title.ljust(_WIDTH, '.')} {time.monotonic() - start:6.1f} s", end="", flush=True)
