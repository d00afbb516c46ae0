"""Path of a class-data (CDS) archive that fits a Java and its jars."""

import hashlib
import os
import shutil
from pathlib import Path


def cds_path(data_dir: Path, jars: list[Path], java: Path | None = None) -> Path | None:
    """The archive's path, with a hash of what must be equal for the JVM to accept it; None without Java.

    Args:
        data_dir: of the installation.
        jars: the class path.
        java: the command; None: the one that Spark takes.
    """
    java = java or java_of_spark()
    if java is None or not java.exists():
        return None
    digest = hashlib.sha256()
    for part in (java.resolve(), *jars):
        seen = part.stat()
        digest.update(f"{part} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return data_dir / "class-data" / f"{digest.hexdigest()[:16]}.jsa"


def java_of_spark() -> Path | None:
    """The java command that Spark takes; None without one."""
    home = os.environ.get("JAVA_HOME")
    found = os.path.join(home, "bin", "java") if home else shutil.which("java")
    return Path(found) if found else None
