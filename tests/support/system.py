"""The embedded system for tests and benchmarks: every process, with its own folder and ports."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from tests.support.living_folders import paths_below, text_of
from tests.support.processes import free_ports, wait_until
from tests.support.rest import Rest
from weir.embedded.jars import install_jars
from weir.embedded.java_classes import compile_classes, outdated
from weir.embedded.layout import REPOSITORY, Layout, read_layout
from weir.embedded.orphan_processes import end_all, engines, find_processes
from weir.embedded.programs import kafka_node
from weir.embedded.saved_environment import saved
from weir.embedded.supervisor import Supervisor

START_SECONDS = 240
STOP_SECONDS = 90


class System:
    """Kafka, Valkey, web, worker, beat, relay and the engines that they start.

    Args:
        folder: the data folder, new.
        settings: environment variables on top of those that this class sets.
        demo: with the demo workspace, its jobs and their feeds.
    """

    def __init__(self, folder: Path, settings: dict[str, str] | None = None, demo: bool = False) -> None:
        web, kafka, secured, controller, valkey = free_ports(5)
        brokers = {
            "WEIR_KAFKA_PORT": kafka,
            "WEIR_KAFKA_SECURED_PORT": secured,
            "WEIR_KAFKA_CONTROLLER_PORT": controller,
        }
        ports = {"WEIR_WEB_PORT": web, "WEIR_VALKEY_PORT": valkey, **brokers}
        queue = {
            "WEIR_DATA_DIR": str(folder),
            "WEIR_HOST_QUEUE": f"engines.test-{web}",
            "WEIR_STANDBY": "false",  # it would take a core for a while from every test
        }
        self.environment = queue | {name: str(port) for name, port in ports.items()} | (settings or {})
        self._demo = demo
        self.layout: Layout = read_layout(self.environment)
        self.supervisor = Supervisor(self.layout.supervisor_socket)
        self.base_url = f"http://127.0.0.1:{web}"
        self.bootstrap = f"127.0.0.1:{kafka}"
        self._process: subprocess.Popen[bytes] | None = None
        self._people: subprocess.Popen[str] | None = None

    @property
    def kafka_options(self) -> dict[str, str]:
        """Options of a Kafka client with the user of the system's own processes.

        `bootstrap` is for others.
        """
        access = kafka_node(self.layout).access
        assert access is not None
        return dict(access.client_options)

    @property
    def output(self) -> Path:
        """What `make run` would have printed."""
        return self.layout.data / "run.out"

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start all and wait until the system says that it is ready."""
        install_jars()
        if outdated():
            compile_classes()
        self.layout.data.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "weir.embedded.run", *([] if self._demo else ["--no-demo"])]
        roots = os.pathsep.join([str(REPOSITORY / "platform"), str(REPOSITORY)])
        variables = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DJANGO_SETTINGS_MODULE", "REDIS_URL")
        }
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                command, cwd=REPOSITORY,
                env=variables | self.environment | {"PYTHONPATH": roots, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        wait_until(self._is_ready, seconds, f"the system is ready; see {self.output}")

    def stop(self) -> None:
        """End all, as Ctrl-C does; whatever is left is killed."""
        if self._people is not None:
            self._people.communicate()  # its input ends, and so does it
            self._people = None
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
        end_all(self.layout.data)

    def rest(self, username: str = "tester", workspace: str = "tests") -> Rest:
        """A signed-in client; person and workspace are made when they do not exist."""
        return Rest(self.base_url, workspace, self.sign_in_path(username, workspace))

    def sign_in_path(self, username: str = "tester", workspace: str = "tests") -> str:
        """A new one-time sign-in path for a user, from one long-running process (it takes 2 s to start)."""
        if self._people is None:
            command = [sys.executable, "-m", "tests.support.create_user"]
            self._people = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                env=self._variables(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._people.stdin is not None
        assert self._people.stdout is not None
        self._people.stdin.write(f"{username} {workspace}\n")
        self._people.stdin.flush()
        path = self._people.stdout.readline().strip()
        assert path, "no sign-in path was made; its process says why above"
        return path

    def manage(self, *arguments: str, seconds: float = 300) -> str:
        """Run a management command of the platform, which has to succeed; what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=REPOSITORY,
            env=self._variables(),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def feed(self, example: str, on: bool = True) -> None:
        """Start or stop the feed of an example."""
        (self.supervisor.start if on else self.supervisor.stop)(f"feed-{example}")

    def processes(self) -> dict[str, int]:
        """Running processes, name → pid.

        The supervisor's programs, and ``engine-<id>`` for each engine's JVM.
        """
        found = {state["name"]: int(state["pid"]) for state in self.supervisor.states() if state["pid"]}
        for each in engines(self.layout.data):
            with suppress(psutil.Error, IndexError):  # it ends just now
                found[f"engine-{Path(each.cmdline()[-1]).stem}"] = each.pid
        return found

    def commands(self) -> list[list[str]]:
        """The command lines of all processes, engines and what they started included."""
        return [process.cmdline() for process in find_processes(self.layout.data)]

    def pid(self, name: str) -> int:
        """The pid of a process.

        ``engine`` is the warm engine's; ``web-server`` is what ``web`` has forked to answer.
        """
        if name == "web-server":
            (server,) = psutil.Process(self.pid("web")).children()
            return server.pid
        return self.processes()["engine-shared-1" if name == "engine" else name]

    def kill(self, name: str) -> int:
        """SIGKILL one process and wait until it is gone; the pid that it had."""
        process = psutil.Process(self.pid(name))
        process.kill()
        wait_until(
            lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE,
            10,
            f"{name} is dead",
        )
        return process.pid

    def tails(self, lines: int = 40) -> str:
        """The ends of all logs, for a failure's report."""
        logs = sorted(path for path in paths_below(self.layout.data) if path.suffix == ".log")
        ends = {
            log: text_of(log).splitlines()[-lines:]
            for log in (self.output, *logs)
            if "rocks" not in log.name and "/data/" not in str(log)
        }
        return "\n".join(f"--- {log}\n" + "\n".join(end) for log, end in ends.items() if end)

    def _variables(self) -> dict[str, str]:
        """The system's environment, without its mark."""
        variables = os.environ | self.environment | saved(self.layout.data)
        variables.pop("WEIR_EMBEDDED", None)
        return variables

    def _is_ready(self) -> bool:
        assert self._process is not None
        text = self.output.read_text(errors="replace")
        assert self._process.poll() is None, f"the system ended at its start:\n{text}\n{self.tails()}"
        return "Weir is ready" in text
