"""A standalone Spark master with one worker on loopback, from the installed PySpark."""

import os
import secrets
from pathlib import Path

from jobs.engine.submit import spark_home
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.private_files import write_private

_SECRET = "spark.authenticate.secret"
_CONFS = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.authEngineVersion": "2",
}
CORES = 8  # task slots, not processors: a run in real-time mode holds one per task for as long as it runs


class SparkMaster:
    """Started and stopped by tests.

    Args:
        folder: for logs and the files of executors.
    """

    def __init__(self, folder: Path) -> None:
        master_port, worker_port = free_ports(2)
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
        worker = [f"{deploy}.worker.Worker", *loopback, "--port", str(worker_port), *room, self.address]
        self._worker = ServerProcess([*launcher, *worker], folder / "worker.log")

    def start(self) -> None:
        """Start both and wait until the worker is registered."""
        self._master.start()
        self._worker.start()
        wait_until(self._registered, 60, f"the worker registers; see {self._worker.log}")

    def stop(self) -> None:
        """SIGTERM to both; executors end with their worker."""
        self._worker.stop()
        self._master.stop()

    @property
    def worker_pid(self) -> int:
        """The worker's process id; executors are its children."""
        return self._worker.pid

    def executors(self) -> int:
        """How many executors the worker has launched."""
        return self._worker.log.read_text(errors="replace").count("Asked to launch executor")

    def _registered(self) -> bool:
        assert self._worker.alive, f"the worker ended: {self._worker.log.read_text()[-2000:]}"
        return "Successfully registered with master" in self._worker.log.read_text(errors="replace")
