"""Prints the progress of installation and start, for a terminal or a log. Standard library only.

Each finished step has a line with its duration. On a terminal, the last line shows the steps that are
running.
"""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_WIDTH = 44
_REDRAW_INTERVAL_S = 0.5
_CLEAR_LINE = "\r\033[K"

_lock = threading.Lock()
_running: dict[object, tuple[str, float]] = {}  # step → title, start time
_drawing = threading.Event()


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show a step and its duration.

    Args:
        title: a few words.
    """
    key, start = object(), time.monotonic()
    with _lock:
        _running[key] = (title, start)
    if sys.stdout.isatty() and not _drawing.is_set():
        _drawing.set()
        threading.Thread(target=_draw, daemon=True).start()
    failed = True
    try:
        yield
        failed = False
    finally:
        with _lock:
            del _running[key]
            outcome = "  failed" if failed else ""
            line = f"  {title.ljust(_WIDTH, '.')} {time.monotonic() - start:6.1f} s{outcome}\n"
            _write(f"{_CLEAR_LINE}{line}{_status()}" if sys.stdout.isatty() else line)


def _draw() -> None:
    """Redraw the line of running steps until none is left."""
    while True:
        with _lock:
            if not _running:
                _drawing.clear()
                return
            _write(_CLEAR_LINE + _status())
        time.sleep(_REDRAW_INTERVAL_S)


def _status() -> str:
    """The running steps in one line that fits the terminal."""
    now = time.monotonic()
    text = "  " + " · ".join(f"{title} {now - start:.0f} s" for title, start in _running.values())
    return text[: shutil.get_terminal_size().columns - 1] if _running else ""


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
