"""supervisord: its configuration for the embedded system, and a client for its control socket."""

import os
import shlex
import subprocess
import sys
import time
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from xmlrpc.client import Fault, ServerProxy

import psutil
from supervisor.xmlrpc import Faults, SupervisorTransport

from weir.embedded.layout import Layout
from weir.embedded.programs import Program

MARK: Final = "WEIR_FORK"  # in the environment of programs that `forking_supervisord` forks
MAX_STARTS: Final = 3  # of a program that gets ready
_ALWAYS: Final = ("autorestart=true", "startsecs=2", "startretries=20")
_ONCE: Final = ("autorestart=false", "startsecs=0", "startretries=0")
_ENDED: Final = frozenset({"STOPPED", "EXITED", "FATAL"})


class GoneError(Exception):
    """supervisord is not running, or shutting down."""


class Supervisor:
    """A running supervisord."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    @property
    def answers(self) -> bool:
        """True when supervisord answers on the socket."""
        try:
            self._call("getState")
        except GoneError:
            return False
        return True

    def start(self, name: str) -> None:
        """Start a program unless it is running; does not wait until it is up."""
        if self.state(name)["statename"] not in ("RUNNING", "STARTING"):
            self._call("startProcess", name, False)

    def stop(self, *names: str) -> None:
        """Stop these programs in parallel, and wait until they have ended. One that another process starts
        meanwhile is stopped, too.
        """
        # This terminates: supervisord kills programs that do not stop in time.
        while any(state["name"] in names and state["statename"] not in _ENDED for state in self.states()):
            self.begin_stop(*names)
            time.sleep(0.1)

    def preload(self, part: str) -> None:
        """Let supervisord load a part of the platform, for the programs that it forks; they run without, too.

        Args:
            part: the name of a function in `weir.project.loaded`.
        """
        if problem := self._call("preload", part, namespace="weir"):
            print(problem, file=sys.stderr)

    def begin_stop(self, *names: str) -> None:
        """Request the stop of these programs, without waiting."""
        for name in names:
            if self.state(name)["statename"] not in (*_ENDED, "STOPPING"):
                try:
                    self._call("stopProcess", name, False)
                except Fault as fault:
                    if fault.faultCode != Faults.NOT_RUNNING:  # it has ended since
                        raise

    def state(self, name: str) -> dict[str, Any]:
        """A program's state, as supervisord's `getProcessInfo` returns it."""
        return dict(self._call("getProcessInfo", name))

    def runs(self, name: str) -> bool:
        """True when a program is running."""
        return bool(self.state(name)["statename"] == "RUNNING")

    def has_ended(self, name: str) -> bool:
        """True when a program is not running, and is not about to."""
        return self.state(name)["statename"] in _ENDED

    def states(self) -> list[dict[str, Any]]:
        """The states of all programs, as supervisord's `getAllProcessInfo` returns them."""
        return [dict(each) for each in self._call("getAllProcessInfo")]

    def process(self) -> psutil.Process:
        """supervisord's own process.

        Raises:
            GoneError: it has ended.
        """
        try:
            return psutil.Process(self._call("getPID"))
        except psutil.NoSuchProcess as error:
            raise GoneError from error

    def shut_down(self) -> None:
        """Shut supervisord down; running programs are stopped one by one first, a second for each."""
        self._call("shutdown")

    def _call(self, method: str, *arguments: Any, namespace: str = "supervisor") -> Any:
        # One connection per call: a reused one does not notice that supervisord was restarted.
        transport = SupervisorTransport(None, None, f"unix://{self._socket}")
        proxy = ServerProxy("http://127.0.0.1", transport=transport)
        try:
            return getattr(getattr(proxy, namespace), method)(*arguments)
        except Fault as fault:
            if fault.faultCode == Faults.SHUTDOWN_STATE:
                raise GoneError from fault
            raise
        except (OSError, HTTPException) as error:
            raise GoneError from error
        finally:
            transport.close()


class StartWatch:
    """Follows the start of a program. supervisord gives one up after many tries if it ends within 2 s, and
    never if it takes longer, as a JVM without its port does.
    """

    def __init__(self, supervisor: Supervisor, name: str) -> None:
        self._supervisor, self._name = supervisor, name
        self._starts: set[int] = set()

    def gave_up(self) -> bool:
        """True when the program was started more than `MAX_STARTS` times, as far as was seen here."""
        state = self._supervisor.state(self._name)
        self._starts.add(state["start"])
        return len(self._starts - {0}) > MAX_STARTS or state["statename"] == "FATAL"


def launch(layout: Layout, programs: list[Program], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Start supervisord, without programs, in a session of its own so that Ctrl-C does not reach it."""
    layout.logs.mkdir(parents=True, exist_ok=True)
    file = layout.data / "supervisord.conf"
    file.write_text(settings(layout, programs))
    file.chmod(0o600)
    command = [
        sys.executable,
        "-m",
        "weir.embedded.forking_supervisord",
        "--nodaemon",
        "--configuration",
        str(file),
    ]
    with (layout.logs / "supervisord.out").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=layout.repository,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def settings(layout: Layout, programs: list[Program]) -> str:
    """The content of supervisord.conf. Programs inherit supervisord's environment."""
    parts = [
        "[supervisord]",
        f"logfile={_quoted(layout.logs / 'supervisord.log')}",
        "logfile_maxbytes=1MB",
        "logfile_backups=1",
        f"pidfile={_quoted(layout.data / 'supervisord.pid')}",
        f"childlogdir={_quoted(layout.logs)}",
        f"directory={_quoted(layout.repository)}",
        "silent=true",
        *(["user=root"] if os.geteuid() == 0 else []),  # avoids a warning at each start as root
        "[unix_http_server]",
        f"file={_quoted(layout.supervisor_socket)}",
        "chmod=0700",
        "[rpcinterface:supervisor]",
        "supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface",
        "[rpcinterface:weir]",
        "supervisor.rpcinterface_factory=weir.embedded.forking_supervisord:make_interface",
    ]
    for program in programs:
        parts += [
            f"[program:{program.name}]",
            f"command={' '.join(_argument(part) for part in program.command)}",
            f"priority={program.order}",
            "autostart=false",
            *(_ONCE if program.once else _ALWAYS),
            f"stopwaitsecs={program.stop_seconds}",
            "killasgroup=true",
            "redirect_stderr=true",
            f"stdout_logfile={_quoted(layout.logs / program.name)}.log",
            "stdout_logfile_maxbytes=5MB",
            "stdout_logfile_backups=1",
            *_environment(program),
        ]
    return "\n".join(parts) + "\n"


def _environment(program: Program) -> list[str]:
    """The line of a program's own variables; supervisord cannot take one away, so it has no value."""
    given = {name: "" for name in program.withheld} | ({MARK: "1"} if program.forked else {})
    pairs = ",".join(f'{name}="{value}"' for name, value in given.items())
    return [f"environment={pairs}"] if pairs else []


def _quoted(value: Path) -> str:
    return str(value).replace("%", "%%")


def _argument(part: str) -> str:
    return shlex.quote(part).replace("%", "%%")
