"""`make status`: shows every process of the embedded system."""

import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from jobs.base.log_text import readable
from weir.embedded.layout import Layout, read_layout
from weir.embedded.orphan_processes import engines, find_processes
from weir.embedded.programs import DEMO
from weir.embedded.supervisor import Supervisor

_TAIL_BYTES = 8192


def table(layout: Layout) -> list[tuple[str, str, str, str, str, str]]:
    """Name, state, pid, uptime, port and last log line of all processes, engines last; without feeds that are
    stopped, and the demo's process that has done its work.
    """
    rows = []
    for state in Supervisor(layout.supervisor_socket).states():
        running = state["statename"] == "RUNNING"
        if state["statename"] in ("STOPPED", "EXITED") and state["name"].startswith(("feed-", DEMO)):
            continue
        rows.append(
            (
                state["name"],
                state["statename"].lower(),
                str(state["pid"] or "-"),
                uptime(state["now"] - state["start"]) if running else "-",
                ", ".join(map(str, listening(state["pid"]))) or "-",
                last_line(layout.logs / f"{state['name']}.log"),
            )
        )
    for process in engines(layout.data):
        with suppress(psutil.NoSuchProcess, IndexError):  # it has just ended
            rows.append(_engine_row(layout, process))
    return rows


def listening(pid: int) -> list[int]:
    """TCP ports a process listens on, ascending; empty when it has ended or they can't be seen."""
    try:
        found = psutil.Process(pid).net_connections("tcp") if pid else []
    except psutil.Error:
        return []
    return sorted({each.laddr.port for each in found if each.status == psutil.CONN_LISTEN})


def uptime(seconds: float) -> str:
    """A duration in its two greatest units: ``2d 3h``, ``4m 10s``."""
    parts: list[str] = []
    rest = int(seconds)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        if count or parts or unit == "s":
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2])


def last_line(path: Path) -> str:
    """The last non-blank line of a log; empty when there is none."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return readable(lines[-1].strip()).partition("\n")[0] if lines else ""


def _engine_row(layout: Layout, process: psutil.Process) -> tuple[str, str, str, str, str, str]:
    # spark-submit's last argument is the settings file, which is named after the engine.
    engine = Path(process.cmdline()[-1]).stem
    since = uptime(time.time() - process.create_time())
    return (
        f"engine {engine}",
        process.status(),
        str(process.pid),
        since,
        "-",
        last_line(layout.logs / "engines" / f"{engine}.log"),
    )


def main() -> None:
    """The command line; exits with 1 when nothing runs."""
    layout = read_layout()
    supervisor = Supervisor(layout.supervisor_socket)
    if not supervisor.answers:
        left = len(find_processes(layout.data))
        sys.exit(
            f"Weir is not running, but {left} of its processes are. End them: make stop"
            if left
            else "Weir is not running. Start it: make run"
        )
    rows = [("process", "state", "pid", "uptime", "port", "last log line"), *table(layout)]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print(
            "  ".join(
                [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5][:120]]
            ).rstrip()
        )
    # `make run` may have been started with a different port setting than this command.
    web_port = next(iter(listening(supervisor.state("web")["pid"])), layout.web_port)
    address = replace(layout, web_port=web_port).web_address
    print(f"\n{address}   sign in: .venv/bin/python manage.py sign_in_link demo")


if __name__ == "__main__":
    main()
