"""The class-data archive of the tests' brokers, kept in pytest's cache: a start takes half the time."""

import fcntl
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.cds_archive import KEPT
from tests.support.kafka_topics import answers
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.kafka_classes import archive_path, start_recording
from weir.embedded.kafka_node import KafkaNode

_START_S: Final = 300


def kafka_archive() -> Path | None:
    """The archive, recorded by a broker of its own when it is asked for first; None while another process
    records it.
    """
    archive = archive_path(KEPT.parent)
    if archive is None or archive.exists():
        return archive
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "recording-kafka").open("w") as lock, suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not archive.exists():
            _record(archive)
        return archive
    return None


def _record(archive: Path) -> None:
    with TemporaryDirectory(dir=KEPT) as made:
        folder, port, controller_port = Path(made), *free_ports(2)
        node = KafkaNode(folder / "node", port, controller_port, heap_mb=384, archive=archive)
        node.prepare()
        broker = ServerProcess(node.command(), folder / "kafka.log")
        broker.start()
        try:
            wait_until(lambda: answers(node.bootstrap), _START_S, "the broker answers that lists its classes")
            if recorder := start_recording(node, {}, niceness=0):
                recorder.communicate()
        finally:
            broker.kill()
