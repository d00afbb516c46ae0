"""Progress of set-up and start on a terminal or in a log: what is being done and how long it took. Standard library only.

Steps may run at the same time. A finished one has a line of its own; on a terminal the last line names those that run.
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
_running: dict[object, tuple[str, float]] = {}  # step → title, when it began
_drawing = threading.Event()


@contextmanager
def step(title: str) -> Iterator[None]:
    """Show a step with its time.

    Args:
        title: what is done, as a few words.
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
            line = f"  {title.ljust(_WIDTH, '.')} {time.monotonic() - start:6.1f} s{'  failed' if failed else ''}\n"
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
