"""The load as a process of its own, and the topics it needs."""

import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from bench.ledger import Ledger
from tests.support.kafka_topics import create_topic
from weir.embedded.layout import REPOSITORY

PARTITIONS = 2


def create_topics(bootstrap: str, *names: str) -> None:
    """Create topics and wait until each has a leader for all partitions."""
    for name in names:
        create_topic(bootstrap, name, PARTITIONS)


class Load:
    """A steady producer while the block lasts."""

    def __init__(self, bootstrap: str, topic: str, rate: float, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{topic}.ledger"
        path.unlink(missing_ok=True)
        self.ledger = Ledger(path)
        self._command = [
            sys.executable,
            "-m",
            "bench.load",
            "--bootstrap",
            bootstrap,
            "--topic",
            topic,
            "--rate",
            str(rate),
        ]
        self._command += ["--ledger", str(path), "--partitions", str(PARTITIONS)]

    def __enter__(self) -> "Load":
        self._process = subprocess.Popen(self._command, cwd=REPOSITORY, env=None)
        while self.ledger.sent_us[0] == 0:
            if self._process.poll() is not None:
                raise RuntimeError("the load could not start")
            time.sleep(0.05)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the load; the ledger holds what the broker has.

        Raises:
            RuntimeError: the broker has not taken all events.
        """
        self._process.terminate()
        if self._process.wait(90):
            raise RuntimeError("the load ended with an error, which stands above")
