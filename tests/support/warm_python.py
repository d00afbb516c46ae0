"""A Python server with everything imported, which forks a Python process for each that Spark starts.

Spark starts an interpreter for each query with state in Python, and waits ten seconds for it to connect. On
two busy cores the import of pandas alone took longer; a forked process takes some 10 ms.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import wait_until

CLIENT = Path(__file__).with_name("warm_python_client.py")
IMPORTED = (
    "pandas",
    "pyarrow",
    "pyspark.worker",
    "pyspark.sql.pandas.serializers",
    "pyspark.sql.pandas.types",
    "pyspark.sql.streaming.stateful_processor_api_client",
    "pyspark.sql.streaming.stateful_processor_util",
)


@contextmanager
def warm_python() -> Iterator[str]:
    """An executable with Python's arguments, for PYSPARK_PYTHON; without its server it runs Python itself."""
    with tempfile.TemporaryDirectory(prefix="weir-python-") as folder:
        address, executable = Path(folder) / "socket", Path(folder) / "python"
        executable.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -IS "{CLIENT}" "{address}" "{sys.executable}" "$@"\n'
        )
        executable.chmod(0o700)
        root = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        }
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.warm_python", str(address)],
            stdin=subprocess.PIPE,
            env=environment,
        )
        try:
            wait_until(
                lambda: address.exists() or server.poll() is not None, 120, "a Python with pandas is there"
            )
            yield str(executable)
        finally:
            assert server.stdin is not None
            server.stdin.close()
            server.wait(20)


def serve(address: str) -> None:
    """Divide for each connection, until standard input ends."""
    for module in IMPORTED:
        importlib.import_module(module)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(64)
        Path(f"{address}.new").rename(address)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                become(connection)
            connection.close()


def become(connection: socket.socket) -> None:
    """Be the Python that the client was started as. The connection stays open for as long as it lives."""
    code = 1
    try:
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("rb") as requests:
            asked = json.loads(requests.readline())
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.path[:0] = [
            part
            for part in asked["environment"].get("PYTHONPATH", "").split(os.pathsep)
            if part and part not in sys.path
        ]
        option, module, *arguments = asked["arguments"]
        assert option == "-m", f"Spark starts modules, not {asked['arguments']}"
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:  # noqa: BLE001 - as an interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
