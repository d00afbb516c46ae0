"""A whole system of one's own while a section is measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.system import System
from weir.embedded.orphan_processes import end, engines

START_SECONDS = 900
_END_SECONDS = 15


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


def leave_broker(system: System) -> None:
    """End all of a system but its broker, so that a peer that uses it has the machine for itself."""
    system.supervisor.stop(*(each["name"] for each in system.supervisor.states() if each["name"] != "kafka"))
    end(engines(system.layout.data), _END_SECONDS)
