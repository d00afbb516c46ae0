"""The class-data archive of the tests' brokers, kept in pytest's cache: a start takes half the time."""

import fcntl
import hashlib
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.kafka_topics import answers
from tests.support.processes import ServerProcess, free_ports, wait_until
from weir.embedded.jars import jars
from weir.embedded.kafka_node import KafkaNode

_FOLDER: Final = Path(__file__).resolve().parents[2] / ".pytest_cache" / "class-data"
_STOP_S: Final = 120  # the JVM writes the archive when it ends


def kafka_archive() -> Path | None:
    """The archive, recorded by a broker of its own when it is asked for first; None while another process
    records it.
    """
    names = sorted(jar.name for jar in jars("kafka").glob("*.jar"))
    archive = _FOLDER / f"kafka-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:12]}.jsa"
    if archive.exists():
        return archive
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (_FOLDER / "recording-kafka").open("w") as lock, suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not archive.exists():
            _record(archive)
        return archive
    return None


def _record(archive: Path) -> None:
    with TemporaryDirectory(dir=_FOLDER) as made:
        folder, port, controller_port = Path(made), *free_ports(2)
        node = KafkaNode(folder / "node", port, controller_port, heap_mb=384, archive=folder / "classes.jsa")
        node.prepare()
        broker = ServerProcess(node.command(), folder / "kafka.log")
        broker.start()
        try:
            wait_until(lambda: answers(node.bootstrap), 300, "the broker whose classes are recorded answers")
            broker.stop(_STOP_S)
        finally:
            broker.kill()
        (folder / "classes.jsa").replace(archive)
