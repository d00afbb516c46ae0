"""A whole system of one's own while a section is measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.system import System

START_SECONDS = 900


@contextmanager
def running_system(
    folder: Path, demo: bool = False, settings: dict[str, str] | None = None
) -> Iterator[System]:
    """Start a system, and stop it at the end; after an error the ends of its logs are printed.

    Args:
        folder: of its data, new.
        demo: with the demo workspace.
        settings: environment variables.
    """
    running = System(folder, settings, demo=demo)
    try:
        running.start(START_SECONDS)
        yield running
    except BaseException:
        print(running.tails())
        raise
    finally:
        running.stop()
