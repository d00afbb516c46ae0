"""Makes the class-data (CDS) archives with which engines and the embedded broker start in half the time
(`docs/spark.md#start-up`).

A JVM without one lists the classes that it loads. Another JVM makes the archive of them, once per
installation, beside the first and with the processor time that others leave; every later start with the same
Java and jars loads it. A JVM that recorded its own would do nothing else for seconds.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_SESSION: Final = Path("/proc/self/autogroup")
_HEAP_MB: Final = 512
_ENGINE_LABEL: Final = "WEIR_ENGINE"  # by which an engine is found; a recorder with it passes for one


def start_recorder(
    archive: Path,
    class_list: Path,
    class_path: str,
    java: Path,
    niceness: int = 19,
    variables: Mapping[str, str] | None = None,
) -> "subprocess.Popen[str] | None":
    """Start the process that makes the archive. It may outlive the one that starts it; SIGTERM breaks it off,
    and it leaves nothing behind.

    Args:
        archive: the file to write.
        class_list: of a running JVM; removed when the archive is there.
        class_path: of that JVM.
        java: the command that runs that JVM.
        niceness: 19 gets a processor when nobody else wants it, 0 like others.
        variables: the process's environment, on top of that of this one.

    Returns:
        The process, whose standard error says why it made none; None when there is nothing to do: the archive
        exists, or the JVM lists no classes.

    Raises:
        OSError: it can't be started, such as for want of memory.
    """
    if archive.exists() or not class_list.exists():
        return None
    arguments = [str(archive), str(class_list), class_path, str(java), str(niceness)]
    return subprocess.Popen(
        [sys.executable, "-m", "jobs.base.class_data", *arguments],
        cwd=_ROOT,
        env={
            **{name: value for name, value in os.environ.items() if name != _ENGINE_LABEL},
            **(variables or {}),
        },
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a signal to the starter's process group is not for it
    )


def record(archive: Path, class_list: Path, class_path: str, java: Path) -> str:
    """Make the archive, unless it exists or another process is making it.

    Args:
        archive: the file to write.
        class_list: of a JVM that may still run; removed when the archive is there.
        class_path: of that JVM.
        java: the command that runs that JVM.

    Returns:
        Why there is no archive; empty where there is nothing to say.

    Raises:
        OSError: the class list can't be read, or the archive's folder can't be written to.
    """
    lines, _, _ = class_list.read_bytes().rpartition(b"\n")  # the JVM may be writing the last one
    archive.parent.mkdir(parents=True, exist_ok=True)
    with _claim(archive) as claimed:
        if not claimed or archive.exists():
            return ""
        for left in archive.parent.glob(f"{archive.stem}.*.draft"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=f"{archive.stem}.", suffix=".draft", dir=archive.parent) as folder:
            whole, draft = Path(folder) / "classes.list", Path(folder) / "draft.jsa"
            whole.write_bytes(lines + b"\n")
            command = _command(whole, draft, class_path, java)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0 or not draft.exists():
                return f"status {done.returncode}: {(done.stdout + done.stderr)[-500:]}"
            draft.rename(archive)
            class_list.unlink(missing_ok=True)
    return ""


def _command(class_list: Path, archive: Path, class_path: str, java: Path) -> list[str]:
    return [
        str(java),
        "-Xshare:dump",
        f"-XX:SharedClassListFile={class_list}",
        f"-XX:SharedArchiveFile={archive}",
        "-Xlog:cds=off",
        "-Xlog:cds+heap=off",
        f"-Xmx{_HEAP_MB}m",
        "-XX:+UseSerialGC",
        "-cp",
        class_path,
    ]


@contextmanager
def _claim(archive: Path) -> Iterator[bool]:
    """Claim the recording; yields False when another process has. The claim ends with its process."""
    with archive.with_suffix(".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def main() -> None:
    """The recorder's process. Arguments: those of `start_recorder`."""
    archive, class_list, class_path, java, niceness = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    os.nice(int(niceness))
    with suppress(OSError):  # Linux counts niceness within a session, where it groups processes by session
        _SESSION.write_text(niceness)
    try:
        problem = record(Path(archive), Path(class_list), class_path, Path(java))
    except FileNotFoundError:  # the JVM has ended, and its list is gone; the next one lists its own
        problem = ""
    except OSError as error:  # such as a full disk
        problem = str(error)
    sys.exit(problem or 0)


if __name__ == "__main__":
    main()
