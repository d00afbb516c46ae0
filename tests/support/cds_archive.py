"""Class-data archives of engines and brokers, kept in pytest's cache: starts as fast as a user's second."""

import shutil
import threading
from pathlib import Path
from typing import Final

import psutil

from jobs.base.cds_path import cds_path, java_of_spark
from jobs.base.class_data import start_recorder
from jobs.engine.launch import class_list, spark_jars
from jobs.kafka_messages import EngineSettings

KEPT: Final = Path(__file__).resolve().parents[2] / ".pytest_cache" / "class-data"


def share_class_data(data_dir: Path) -> None:
    """Let engines and the broker over this data folder use, or record, the archives that all tests share."""
    KEPT.mkdir(parents=True, exist_ok=True)
    data_dir.mkdir(parents=True, exist_ok=True)
    link = data_dir / "class-data"
    if not link.exists():
        link.symlink_to(KEPT, target_is_directory=True)


def record_classes(settings: EngineSettings, pid: int) -> None:
    """Have the archive made that later engines of tests load, as an engine does that serves for a minute, but
    without waiting for a moment at which no test wants a processor.

    Args:
        settings: of a running engine.
        pid: of its JVM.
    """
    archive, listed = cds_path(Path(settings.data_dir), spark_jars(settings)), class_list(settings)
    java = java_of_spark()
    if archive is None or java is None or not listed.exists():
        return
    kept = archive.with_suffix(".list")  # the engine's goes with the engine
    copy = kept.with_suffix(f".{pid}")
    shutil.copyfile(listed, copy)
    copy.rename(kept)
    command = psutil.Process(pid).cmdline()
    recorder = start_recorder(archive, kept, command[command.index("-cp") + 1], java, niceness=0)
    if recorder is not None:
        threading.Thread(target=recorder.communicate, name="class data", daemon=True).start()
