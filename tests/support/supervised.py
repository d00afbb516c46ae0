"""A supervisord of its own with a few programs, as the embedded system starts one."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.processes import wait_until
from weir.embedded.layout import Layout
from weir.embedded.orphan_processes import end_all, label
from weir.embedded.programs import Program
from weir.embedded.supervisor import Supervisor, launch


@contextmanager
def supervised(
    layout: Layout, programs: list[Program], variables: dict[str, str] | None = None
) -> Iterator[Supervisor]:
    """Answers, and has started nothing; at the end all its processes are ended.

    Args:
        layout: its folder.
        programs: that it knows.
        variables: of their environment.
    """
    supervisor = Supervisor(layout.supervisor_socket)
    process = launch(layout, programs, label(layout.data) | (variables or {}))
    try:
        wait_until(lambda: supervisor.answers, 60, "supervisord answers")
        yield supervisor
    finally:
        end_all(layout.data)
        process.wait()
