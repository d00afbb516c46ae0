"""The class-data (CDS) archive of the embedded broker, with which it starts in half the time."""

import logging
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from jobs.base.cds_path import cds_path
from jobs.base.class_data import start_recorder
from weir.embedded.jars import jars
from weir.embedded.kafka_node import KafkaNode

log = logging.getLogger(__name__)


def archive_path(data_dir: Path) -> Path | None:
    """The archive for this Java and these jars; None without Java.

    Args:
        data_dir: holds the folder of the archives.
    """
    java = _java()
    return cds_path(data_dir, sorted(jars("kafka").glob("*.jar")), java) if java else None


@contextmanager
def recording(node: KafkaNode, variables: Mapping[str, str]) -> Iterator[None]:
    """Make the archive of a running broker, unless there is one, with the processor time that others leave.
    Where the block ends first, the next start tries again.

    Args:
        node: has been running for some time.
        variables: the recorder's environment, on top of that of this process.
    """
    recorder = None
    with suppress(OSError):  # such as no memory for a process: the system runs without an archive
        recorder = start_recording(node, variables)
    if recorder is None:
        yield
        return
    waiter = threading.Thread(target=_wait, args=(recorder,), name="class data", daemon=True)
    waiter.start()
    try:
        yield
    finally:
        recorder.terminate()
        waiter.join()


def start_recording(
    node: KafkaNode, variables: Mapping[str, str], niceness: int = 19
) -> "subprocess.Popen[str] | None":
    """Start the process that makes the archive of a running broker; None where there is nothing to do.

    Args:
        node: has been running for some time.
        variables: as for `recording`.
        niceness: 19 gets a processor when nobody else wants it, 0 like others.

    Raises:
        OSError: the process can't be started.
    """
    java = _java()
    if node.archive is None or java is None:
        return None
    return start_recorder(node.archive, node.class_list, node.class_path, java, niceness, variables)


def _java() -> Path | None:
    found = shutil.which("java")
    return Path(found) if found else None


def _wait(recorder: "subprocess.Popen[str]") -> None:
    if problem := recorder.communicate()[1]:
        log.warning("no class-data archive for Kafka: %s", problem.strip())
