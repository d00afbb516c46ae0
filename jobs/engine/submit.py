"""Starts an engine: ``python -m jobs.engine.submit <settings.json>`` replaces itself with spark-submit.

The started process becomes the driver's JVM, so its pid, start time and exit status are the engine's. Imports
no pyspark, so that Python runs only for a tenth of a second.
"""

import importlib.util
import os
import sys
from pathlib import Path

from jobs.base.cds_path import cds_path
from jobs.engine.inherited import inherited
from jobs.engine.launch import (
    ROOT,
    MasterSecretError,
    spark_jars,
    static_configuration,
    stays_here,
    tmp_dir,
    work_dir,
)
from jobs.kafka_messages import EngineSettings


def main() -> None:
    """Read the settings, write the properties file (mode 0600) and exec spark-submit."""
    settings_file = Path(sys.argv[1]).resolve()
    settings = EngineSettings.model_validate_json(settings_file.read_bytes())
    work = work_dir(settings)
    tmp_dir(settings).mkdir(parents=True, exist_ok=True)
    jars = spark_jars(settings)
    properties = work / "spark.properties"
    try:
        write_properties(properties, static_configuration(settings, cds_path(Path(settings.data_dir), jars)))
    except MasterSecretError as error:
        raise SystemExit(f"The engine couldn't start: {error}") from error
    home = spark_home()
    command = [
        str(home / "bin" / "spark-submit"),
        "--properties-file",
        str(properties),
        str(Path(__file__).with_name("entry.py")),
        str(settings_file),
    ]
    os.execve(command[0], command, environment(home, here=stays_here(settings)))


def spark_home() -> Path:
    """The folder of the installed PySpark, found without importing it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SystemExit("pyspark isn't installed in this environment. Run pip install -r requirements.txt.")
    return Path(spec.origin).parent


def environment(home: Path, *, here: bool) -> dict[str, str]:
    """The environment of spark-submit: inherited variables, and its own. `here`: the engine binds to loopback
    only.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    own = {
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": path,
    }
    return {**inherited(os.environ), **own, **({"SPARK_LOCAL_IP": "127.0.0.1"} if here else {})}


def write_properties(path: Path, confs: dict[str, str]) -> None:
    """Write a Java properties file that only its owner can read."""
    lines = [f"{name} {value}".replace("\\", "\\\\") for name, value in sorted(confs.items())]
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
