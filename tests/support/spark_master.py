"""A standalone Spark master with workers on loopback, from the installed PySpark."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import psutil

from jobs.engine.submit import spark_home
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.private_files import write_private

_EXECUTOR = "CoarseGrainedExecutorBackend"
_SECRET = "spark.authenticate.secret"
_CONFS = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.authEngineVersion": "2",
}
# Task slots of a worker, not processors: a run in real-time mode holds one per task for as long as it runs.
CORES = 8


class SparkMaster:
    """Started and stopped by tests.

    Args:
        folder: for logs and the files of executors.
        workers: how many; an application has an executor on each.
    """

    def __init__(self, folder: Path, workers: int = 1) -> None:
        master_port, *worker_ports = free_ports(1 + workers)
        self.secret_file = folder / "secret"
        write_private(self.secret_file, secrets.token_hex(32))
        confs = folder / "spark-defaults.conf"
        write_private(
            confs,
            "".join(
                f"{name} {value}\n"
                for name, value in (_CONFS | {_SECRET: self.secret_file.read_text()}).items()
            ),
        )
        self.address = f"spark://127.0.0.1:{master_port}"
        java = [
            "env",
            "SPARK_LOCAL_IP=127.0.0.1",
            "SPARK_DAEMON_MEMORY=256m",
            f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}",
        ]
        launcher = [*java, str(spark_home() / "bin" / "spark-class")]
        loopback = ["--host", "127.0.0.1", "--webui-port", "0", "--properties-file", str(confs)]
        deploy = "org.apache.spark.deploy"
        self._master = ServerProcess(
            [*launcher, f"{deploy}.master.Master", *loopback, "--port", str(master_port)],
            folder / "master.log",
        )
        room = ["--cores", str(CORES), "--memory", "2g", "--work-dir", str(folder / "work")]
        command = [*launcher, f"{deploy}.worker.Worker", *loopback, *room]
        self._workers = [
            ServerProcess([*command, "--port", str(port), self.address], folder / f"worker-{number}.log")
            for number, port in enumerate(worker_ports)
        ]

    def start(self) -> None:
        """Start all and wait until the workers are registered."""
        self._master.start()
        for worker in self._workers:
            worker.start()
        for worker in self._workers:
            wait_until(lambda of=worker: _registered(of), 60, f"a worker registers; see {worker.log}")

    def stop(self) -> None:
        """SIGTERM to all; executors end with their worker."""
        for server in (*self._workers, self._master):
            server.stop()

    @property
    def worker_pids(self) -> list[int]:
        """The workers' process ids; executors are their children."""
        return [worker.pid for worker in self._workers]

    def executors(self) -> int:
        """How many executors the workers have launched."""
        return sum(
            worker.log.read_text(errors="replace").count("Asked to launch executor")
            for worker in self._workers
        )

    def running_executors(self) -> list[psutil.Process]:
        """The JVMs of executors, by worker."""
        found = []
        for pid in self.worker_pids:
            for process in psutil.Process(pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if process.name() == "java" and _EXECUTOR in " ".join(process.cmdline()):
                        found.append(process)
        return found


def _registered(worker: ServerProcess) -> bool:
    log = worker.log.read_text(errors="replace")
    assert worker.alive, f"a worker ended: {log[-2000:]}"
    return "Successfully registered with master" in log
