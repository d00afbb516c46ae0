"""Path of the class-data (CDS) archive that fits this Java and these jars; importable without pyspark."""

import hashlib
import os
import shutil
from pathlib import Path


def cds_path(data_dir: Path, jars: list[Path]) -> Path | None:
    """The archive's path, with a hash of what must be equal for the JVM to accept it; None without Java."""
    java = (
        Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    )
    if java is None or not Path(java).exists():
        return None
    digest = hashlib.sha256()
    for part in (Path(java).resolve(), *jars):
        seen = part.stat()
        digest.update(f"{part} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return data_dir / "class-data" / f"{digest.hexdigest()[:16]}.jsa"
