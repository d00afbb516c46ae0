"""The class-data (CDS) archive of the embedded broker, with which it starts in half the time.

A broker without one lists the classes that it loads. Another JVM makes the archive of them, beside it. The
broker could write an archive when it ends, but that takes seconds of the first stop.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from jobs.base.cds_path import cds_path
from weir.embedded.jars import jars
from weir.embedded.kafka_node import KafkaNode

_LAST: Final = ("nice", "-n", "19")  # in the order of who gets a processor


def archive_path(data_dir: Path) -> Path | None:
    """The archive for this Java and these jars; None without Java.

    Args:
        data_dir: holds the folder of the archives.
    """
    java = shutil.which("java")
    return cds_path(data_dir, sorted(jars("kafka").glob("*.jar")), Path(java)) if java else None


@contextmanager
def recording(node: KafkaNode, variables: dict[str, str]) -> Iterator[None]:
    """Make the archive of a running broker, unless there is one, with the processor time that others leave.
    Where the block ends first, the next start tries again.

    Args:
        node: has been running for some time.
        variables: the JVM's, on top of those of this process.
    """
    recorder = None
    with suppress(OSError):  # on a full disk the system runs without an archive
        recorder = _start(node, variables, _LAST)
    if recorder is None:
        yield
        return
    waiter = threading.Thread(target=_keep, args=(node, recorder), name="class data", daemon=True)
    waiter.start()
    try:
        yield
    finally:
        recorder.kill()
        waiter.join()


def record(node: KafkaNode) -> None:
    """Make the archive of a running broker, unless there is one, and wait for it."""
    if recorder := _start(node, {}, ()):
        _keep(node, recorder)


def _start(
    node: KafkaNode, variables: dict[str, str], prefix: tuple[str, ...]
) -> "subprocess.Popen[bytes] | None":
    if node.archive is None or node.archive.exists() or not node.class_list.exists():
        return None
    node.archive.parent.mkdir(parents=True, exist_ok=True)
    lines, _, _ = node.class_list.read_bytes().rpartition(b"\n")  # the broker may be writing the last one
    _listed(node).write_bytes(lines + b"\n")
    return subprocess.Popen(
        [*prefix, *node.recording_command(_listed(node), _draft(node))],
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the process that waits for it
    )


def _keep(node: KafkaNode, recorder: "subprocess.Popen[bytes]") -> None:
    """Wait for the archive, and keep it when it is complete."""
    assert node.archive is not None
    draft = _draft(node)
    if recorder.wait() == 0 and draft.exists():
        draft.replace(node.archive)
        node.class_list.unlink(missing_ok=True)
    for left in (draft, _listed(node)):
        left.unlink(missing_ok=True)


def _draft(node: KafkaNode) -> Path:
    assert node.archive is not None
    return node.archive.with_suffix(f".{os.getpid()}.draft")


def _listed(node: KafkaNode) -> Path:
    return node.class_list.with_suffix(".whole")
