"""Several real web processes on one database and one Valkey, as in production; no broker."""

import os
import subprocess
import sys
from pathlib import Path

import requests

from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.layout import REPOSITORY, read_layout
from weir.embedded.programs import programs


class WebProcesses:
    """Web processes that are started with the very command of the embedded system.

    Args:
        folder: the data folder, new.
        redis_url: of the Valkey that they share.
        count: how many.
        settings: environment variables on top.
    """

    def __init__(
        self, folder: Path, redis_url: str, count: int = 2, settings: dict[str, str] | None = None
    ) -> None:
        self._variables = {
            "WEIR_DATA_DIR": str(folder),
            "REDIS_URL": redis_url,
            "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1",
            "DJANGO_SETTINGS_MODULE": "weir.project.settings",
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY / "platform"), str(REPOSITORY)]),
        } | (settings or {})
        folder.mkdir(parents=True, exist_ok=True)
        ports = free_ports(count)
        self.addresses = [f"http://127.0.0.1:{port}" for port in ports]
        self._processes = [
            ServerProcess(self._command(folder, port), folder / f"web-{port}.log") for port in ports
        ]

    def _command(self, folder: Path, port: int) -> list[str]:
        layout = read_layout({"WEIR_DATA_DIR": str(folder), "WEIR_WEB_PORT": str(port)})
        (web,) = [program for program in programs(layout) if program.name == "web"]
        return ["env", *(f"{name}={value}" for name, value in self._variables.items()), *web.command]

    def start(self, tables: bool = True) -> None:
        """Make the tables, where they are needed, start all, wait until they answer."""
        if tables:
            self.manage("migrate", "--verbosity", "0")
            self.manage("migrate", "--verbosity", "0", "--database", "results")
        for process in self._processes:
            process.start()
        for address, process in zip(self.addresses, self._processes, strict=True):
            wait_until(
                lambda at=address, one=process: self._answers(at, one),
                60,
                f"{address} answers; see {process.log}",
            )  # type: ignore[misc]

    @property
    def pids(self) -> list[int]:
        """The processes' ids, in the order of `addresses`."""
        return [process.pid for process in self._processes]

    def stop(self) -> None:
        """SIGTERM."""
        for process in self._processes:
            process.stop()

    def manage(self, *arguments: str) -> str:
        """Run ``manage.py``; what it printed."""
        command = [sys.executable, str(REPOSITORY / "manage.py"), *arguments]
        done = subprocess.run(
            command, env=os.environ | self._variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _answers(self, address: str, process: ServerProcess) -> bool:
        assert process.alive, process.log.read_text()[-2000:]
        try:
            return requests.get(f"{address}/healthz", timeout=5).status_code == 200
        except (requests.ConnectionError, requests.Timeout):  # it begins, on a busy machine
            return False
