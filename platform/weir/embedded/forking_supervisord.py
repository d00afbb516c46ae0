"""supervisord, with one more ability: it loads the platform once, and forks the processes that need it.

A process that loads the platform takes two seconds of processor time and 120 MB of memory. A forked one takes
neither, at the start of the system and when a process is started again. A program does what its command says:
one that cannot be forked is executed, as supervisord does with all others.
"""

import atexit
import importlib
import os
import runpy
import signal
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from supervisor import supervisord
from supervisor.options import ServerOptions

from weir.embedded.supervisor import MARK

LOADER: Final = "weir.project.loaded"
_FORKS: Final = sys.platform == "linux"  # elsewhere system libraries do not work after a fork


class ForkingOptions(ServerOptions):  # type: ignore[misc]  # supervisor has no types
    """supervisord's options, which also start its programs.

    Attributes:
        loaded: the platform is loaded.
    """

    loaded = False

    def execve(self, filename: str, argv: list[str], env: dict[str, str]) -> None:
        """Become a program; called in the process that was forked for it, which never returns from here.

        Args:
            filename: of the command.
            argv: the command's arguments, itself first.
            env: the program's environment.
        """
        if env.pop(MARK, "") and self.loaded and filename == sys.executable and argv[1:2] == ["-m"]:
            become(argv[2], argv[3:], env)
        super().execve(filename, argv, env)


class Preloading:
    """supervisord's XML-RPC namespace `weir`."""

    def __init__(self, options: ForkingOptions) -> None:
        self._options = options

    def preload(self, part: str) -> str:
        """Load a part of the platform. supervisord answers nothing else meanwhile.

        Args:
            part: the name of a function in `weir.project.loaded`.

        Returns:
            Why it could not be loaded, for whoever starts the system; the programs then load it themselves.
            Else "".
        """
        if not _FORKS:
            return ""
        try:
            getattr(importlib.import_module(LOADER), part)()
        except Exception:  # noqa: BLE001  # its programs say it again
            return traceback.format_exc()
        self._options.loaded = True
        return ""


def make_interface(supervisor: Any, **_settings: str) -> Preloading:
    """Make the namespace; supervisord's settings name this function."""
    return Preloading(supervisor.options)


def become(module: str, arguments: list[str], env: dict[str, str]) -> NoReturn:
    """Go on as `python -m module`, and end with its status.

    Nothing of supervisord is closed or freed: what belonged to its files are other files by now.
    """
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [module, *arguments]
    with suppress(OSError):  # the name in top; the command line stays supervisord's
        Path("/proc/self/comm").write_text(f"weir {env.get('SUPERVISOR_PROCESS_NAME', module)}")
    status = _run(module)
    with suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]  # multiprocessing ends its processes by it, too
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _run(module: str) -> int:
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001  # as the interpreter does
        traceback.print_exc()
        return 1
    return 0


def main() -> None:
    """The command line, which is supervisord's."""
    options = ForkingOptions()
    options.realize(None, doc=supervisord.__doc__)
    options.first, options.test = True, False
    supervisord.go(options)
    options.close_httpservers()
    options.close_logger()


if __name__ == "__main__":
    main()
