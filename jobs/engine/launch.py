"""What an engine's JVM is started with: static Spark configuration and JVM flags (`docs/spark.md`).

Imports no pyspark, so that `submit` stays light.
"""

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from jobs.kafka_messages import EngineSettings

ROOT: Final = Path(__file__).resolve().parents[2]
LOG_CONFIGURATION: Final = Path(__file__).with_name("log4j2.properties")
CLASSES_JAR: Final = ROOT / "jvm" / "build" / "weir.jar"

_STANDALONE: Final = "spark://"
_SECRET: Final = re.compile(r"[A-Za-z0-9_.+/=-]{32,256}")
_STATE_STORE: Final = "spark.sql.streaming.stateStore."
_SECURITY: Final = {
    "spark.sql.restrictedMode.enabled": "true",
    "spark.sql.reflect.allowList": r"none\.None",  # an empty list would allow every method
    "spark.sql.avro.schemaUrlAllowedSchemes": "none",
    "spark.sql.runSQLOnFiles": "false",
    "spark.redaction.regex": (
        "(?i)secret|password|token|access[.]?key|credential|jaas|sasl|keystore|truststore|username"
    ),
    "spark.sql.redaction.string.regex": "(?i)(jaas|sasl|keystore|truststore|username|password)[^,;\\s]*",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_STREAMING: Final = {
    f"{_STATE_STORE}providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{_STATE_STORE}rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE_STORE}rocksdb.boundedMemoryUsage": "true",
    f"{_STATE_STORE}rocksdb.maxMemoryUsageMB": "256",
    f"{_STATE_STORE}checkpointFormatVersion": "2",
    "spark.sql.streaming.join.stateFormatVersion": "4",
    # A process that was killed before its first commit leaves files there; a generation's folder is never
    # another query's.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "10",
    # The platform chooses the commit interval, not Spark.
    "spark.sql.streaming.realTimeMode.minBatchDuration": "500ms",
    # 50 by default: the one setting that rules real-time latency.
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "5",
    "spark.sql.adaptive.enabled": "false",
    # A union of branches that are partitioned alike would compute them in one task, where Spark 4.3 takes the
    # state of one for the other's.
    "spark.sql.unionOutputPartitioning": "false",
    # These rules push a semi join below other operators: an aggregate would close its windows, and drop late
    # rows, at another time.
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}"
        for rule in ("PushDownLeftSemiAntiJoin", "PushLeftSemiLeftAntiThroughJoin")
    ),
    "spark.kafka.consumer.cache.capacity": "512",
    "spark.scheduler.mode": "FAIR",
    # Otherwise each call of PySpark's makes five more to the JVM, and looks for IPython, to know its place
    # when an error names it.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}
_OWN_CLASSES: Final = {
    "spark.hadoop.fs.file.impl": "weir.fs.NioLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "weir.fs.NioAbstractFileSystem",
    "spark.sql.extensions": "weir.patterns.PatternFunctions",
}
_VALUES: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    # Spark would replace ${env:NAME} inside a literal by a variable of the engine's environment, and other
    # names by settings.
    "spark.sql.variable.substitute": "false",
    # For map_concat and its like: Spark would end the query at a key that comes twice.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # It would break the line every 76 characters, also inside identities made of bytes.
    "spark.sql.chunkBase64String.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
# Between processes on several hosts. A local engine has one process, whose few servers listen on loopback.
_NETWORK: Final = {
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.authEngineVersion": "2",
    "spark.network.crypto.saslFallback": "false",
    "spark.io.encryption.enabled": "true",
}
_DISALLOWED_LOGIN_MODULES: Final = (
    "com.sun.security.auth.module.JndiLoginModule,com.sun.security.auth.module.LdapLoginModule"
)
_LOGIN_FLAGS: Final = (
    f"-Dorg.apache.kafka.disallowed.login.modules={_DISALLOWED_LOGIN_MODULES}",
    "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=",  # unset would allow all in this client
)


class MasterSecretError(ValueError):
    """There is no secret for a standalone master, or it cannot be used;
    the message says what to do, and never holds it.
    """


def spark_jars(settings: EngineSettings) -> list[Path]:
    """The pinned jars of Spark's side, and our own classes.

    Raises:
        FileNotFoundError: our classes have not been compiled.
    """
    if not CLASSES_JAR.exists():
        raise FileNotFoundError(
            f"{CLASSES_JAR} is missing. Compile jvm/src with python -m weir.embedded.java_classes."
        )
    return [
        *(
            jar
            for name in ("spark", "patterns")
            for jar in sorted((Path(settings.jars_dir) / name).glob("*.jar"))
        ),
        CLASSES_JAR,
    ]


def work_dir(settings: EngineSettings) -> Path:
    """Where an engine keeps temporary files; its checkpoints lie elsewhere."""
    return Path(settings.data_dir) / "engines" / settings.engine_id


def tmp_dir(settings: EngineSettings) -> Path:
    """Where one process of an engine keeps its temporary files: copies of state, jars, shuffle files."""
    return work_dir(settings) / "tmp" / settings.incarnation


def static_configuration(settings: EngineSettings, archive: Path | None = None) -> dict[str, str]:
    """Everything that must be known before the JVM starts.

    Args:
        settings: of the engine.
        archive: class-data archive; loaded when it exists, else made possible to record. None: neither.

    Raises:
        MasterSecretError: a standalone master needs a secret that is not there.
        FileNotFoundError: our classes have not been compiled.
    """
    local = settings.master == "local"
    jars = spark_jars(settings)
    confs = {
        "spark.app.name": f"weir-{settings.engine_id}",
        "spark.authenticate": "true",
        "spark.master": f"local[{settings.slots}]" if local else settings.master,
        "spark.driver.memory": f"{settings.driver_memory_mb}m",
        "spark.driver.extraClassPath": ":".join(
            map(str, jars)
        ),  # before Spark's own: one of its classes is replaced
        "spark.driver.extraJavaOptions": " ".join(_jvm_flags(tmp_dir(settings), archive)),
        "spark.local.dir": str(tmp_dir(settings)),
        **_VALUES,
        **_SECURITY,
        **_STREAMING,
        **_OWN_CLASSES,
    }
    if not local:
        confs |= _NETWORK
        if settings.master.startswith(_STANDALONE):
            confs["spark.authenticate.secret"] = _master_secret(settings)
        confs["spark.jars"] = ",".join(map(str, jars))
        confs["spark.executor.extraClassPath"] = ":".join(
            map(str, jars)
        )  # where hosts have them at the same place
        confs["spark.executor.extraJavaOptions"] = " ".join(_LOGIN_FLAGS)
    if stays_here(settings):
        confs["spark.driver.host"] = confs["spark.driver.bindAddress"] = "127.0.0.1"
    return confs


def _master_secret(settings: EngineSettings) -> str:
    """Other masters hand their applications a secret of their own; a standalone one has none but what its
    operator gave to all.

    It goes to executors in their environment, never in arguments: Spark sees to that.
    """
    if not settings.master_secret_file:
        raise MasterSecretError(
            f"{settings.master} needs SPARK_SECRET_FILE. Set it to a file with the master's "
            "spark.authenticate.secret."
        )
    path = Path(settings.master_secret_file)
    try:
        if path.stat().st_mode & 0o077:
            raise MasterSecretError(f"SPARK_SECRET_FILE {path} is readable by others. Set its mode to 0600.")
        secret = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise MasterSecretError(f"SPARK_SECRET_FILE {path} can't be read: {error.strerror}") from error
    if not _SECRET.fullmatch(secret):
        raise MasterSecretError(
            f"SPARK_SECRET_FILE {path} must contain 32 to 256 letters, digits and - _ . + / ="
        )
    return secret


def _jvm_flags(tmp: Path, archive: Path | None) -> list[str]:
    flags = [
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        # Consumers' positions are read over JMX.
        "--add-opens=java.management/com.sun.jmx.mbeanserver=ALL-UNNAMED",
        *_LOGIN_FLAGS,
        f"-Dlog4j2.configurationFile=file:{LOG_CONFIGURATION}",
        f"-Djava.io.tmpdir={tmp}",
    ]
    if archive is not None:
        quiet = [
            "-Xlog:cds=off",
            "-Xlog:cds+dynamic=off",
        ]  # an archive that does not fit is ignored, not a worry
        flags += [
            f"-XX:SharedArchiveFile={archive}" if archive.exists() else "-XX:+RecordDynamicDumpInfo",
            *quiet,
        ]
    return flags


def stays_here(settings: EngineSettings) -> bool:
    """Whether nothing of an engine is on another host, so that it may listen on loopback only."""
    return settings.master == "local" or urlsplit(settings.master).hostname in (
        "127.0.0.1",
        "localhost",
        "::1",
    )
