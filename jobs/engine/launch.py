"""The static Spark configuration and JVM flags of an engine (`docs/spark.md`).

Imports no pyspark, so that `submit` starts fast.
"""

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from jobs.base.log_format import writes_text
from jobs.base.optimizer_rules import CHANGE_ANSWERS, MOVE_SEMI_JOINS
from jobs.engine.fetch_wait import SHUFFLE_WAIT, SHUFFLE_WAIT_MS
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
    # A process that was killed before its first commit leaves files there; no other query uses a generation's
    # folder.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "10",
    # The platform chooses the commit interval, not Spark.
    "spark.sql.streaming.realTimeMode.minBatchDuration": "500ms",
    SHUFFLE_WAIT: str(SHUFFLE_WAIT_MS),
    # What has been read of a backlog and not been computed: by default some 100 MB, which a batch that is to
    # end would compute first, for ten seconds.
    "spark.shuffle.streaming.writerMaxMemory": "2000000",
    "spark.shuffle.streaming.readerMaxMemory": "2000000",
    "spark.sql.adaptive.enabled": "false",
    # Spark 4.3 would compute the branches of a union with equal partitioning in one task, and mix up their
    # state.
    "spark.sql.unionOutputPartitioning": "false",
    # The last makes an inner join of an outer one below a filter, whose state doesn't know which rows were
    # joined: without the filter, the next version would give them again, alone.
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}"
        for rule in (*CHANGE_ANSWERS, *MOVE_SEMI_JOINS, "EliminateOuterJoin")
    ),
    "spark.kafka.consumer.cache.capacity": "512",
    # By default 100, which a few jobs fill: others would compile their expressions again at each commit.
    "spark.sql.codegen.cache.maxEntries": "2000",
    # Each broadcast begins with a buffer of this size, 4 MB by default; each stage of a batch has one, of
    # some KB.
    "spark.broadcast.blockSize": "128k",
    "spark.scheduler.mode": "FAIR",
    # Otherwise each PySpark call makes five more JVM calls, and looks for IPython, to record its call site
    # for error messages.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}
# For pages that are not there, Spark would keep the plans and measurements of 1,000 executions, some 100 KB
# each, and write down the progress of their tasks ten times a second.
_STATUS: Final = {
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "20",
    "spark.ui.retainedTasks": "200",
    "spark.sql.ui.retainedExecutions": "20",
    "spark.ui.liveUpdate.period": "-1",
}
_OWN_CLASSES: Final = {
    "spark.hadoop.fs.file.impl": "weir.fs.NioLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "weir.fs.NioAbstractFileSystem",
    "spark.sql.extensions": (
        "weir.patterns.PatternFunctions,weir.sizes.SizeFunctions,weir.rows.RowFunctions,weir.play.PlayFunctions,"
        "weir.decode.DecodeFunctions,weir.stages.StageRules"
    ),
}
_VALUES: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.ansi.enabled": "true",
    # Spark would replace ${env:NAME} in a literal with an environment variable of the engine, and other names
    # with settings.
    "spark.sql.variable.substitute": "false",
    # For map_concat and the like: a duplicate key would fail the query.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # It would insert a line break every 76 characters, even into identities made from bytes.
    "spark.sql.chunkBase64String.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
# For processes on several hosts. A local engine is one process, whose few servers listen on loopback.
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
# Else a method of more than 8,000 bytes of code is never compiled. Spark writes such for a stream of many
# fields, up to 65,535 bytes, and its stage would be interpreted for ever.
_COMPILE_ALL: Final = "-XX:-DontCompileHugeMethods"
HEAP_FLAGS: Final = (
    "-XX:+UseSerialGC",
    # In steps it would take four collections to shrink.
    "-XX:-ShrinkHeapInSteps",
    # The plans of a batch, a start or a preview live for less than a second, and are some 20 MB. By default
    # a third of the heap is for young objects, and of that a twentieth for those that outlive a collection:
    # half of the plans became old, and every tenth preview met a full collection of 0.25 s.
    "-XX:NewRatio=1",
    "-XX:TargetSurvivorRatio=90",
    "-XX:MaxTenuringThreshold=3",
)
_FIRST_HEAP_MB: Final = 256


class MasterSecretError(ValueError):
    """The secret of a standalone master is missing or unusable. The message says what to do, and never
    contains the secret.
    """


def spark_jars(settings: EngineSettings) -> list[Path]:
    """The jar of Weir's own classes, before those that some of them replace, and the pinned jars for Spark.

    Raises:
        FileNotFoundError: Weir's classes have not been compiled.
    """
    if not CLASSES_JAR.exists():
        raise FileNotFoundError(
            f"{CLASSES_JAR} is missing. Compile jvm/src with python -m weir.embedded.java_classes."
        )
    return [
        CLASSES_JAR,
        *(
            jar
            for name in ("spark", "patterns")
            for jar in sorted((Path(settings.jars_dir) / name).glob("*.jar"))
        ),
    ]


def work_dir(settings: EngineSettings) -> Path:
    """The folder of an engine's temporary files; checkpoints are elsewhere."""
    return Path(settings.data_dir) / "engines" / settings.engine_id


def tmp_dir(settings: EngineSettings) -> Path:
    """The folder of one incarnation's temporary files: copies of state, jars, shuffle files."""
    return work_dir(settings) / "tmp" / settings.incarnation


def crash_report(settings: EngineSettings) -> Path:
    """What the JVM wrote of its last crash; by default it would be in the folder where it was started."""
    return work_dir(settings) / "jvm-crash.log"


def class_list(settings: EngineSettings) -> Path:
    """The classes that an engine without a class-data archive has loaded so far."""
    return tmp_dir(settings) / "classes.list"


def static_configuration(settings: EngineSettings, archive: Path | None = None) -> dict[str, str]:
    """The Spark configuration that must be set before the JVM starts.

    Args:
        settings: of the engine.
        archive: class-data archive; loaded if it exists, otherwise the JVM lists its classes for it. None:
            neither.

    Raises:
        MasterSecretError: the secret that a standalone master needs is missing or unusable.
        FileNotFoundError: Weir's classes have not been compiled.
    """
    local = settings.master == "local"
    jars = spark_jars(settings)
    confs = {
        "spark.app.name": f"weir-{settings.engine_id}",
        "spark.authenticate": "true",
        "spark.master": f"local[{settings.slots}]" if local else settings.master,
        "spark.driver.memory": f"{settings.driver_memory_mb}m",
        # Before Spark's own jars: one of Spark's classes is replaced.
        "spark.driver.extraClassPath": ":".join(map(str, jars)),
        "spark.driver.extraJavaOptions": " ".join(map(_quoted, _jvm_flags(settings, archive))),
        "spark.local.dir": str(tmp_dir(settings)),
        **_VALUES,
        **_SECURITY,
        **_STREAMING,
        **_STATUS,
        **_OWN_CLASSES,
    }
    if not local:
        confs |= _NETWORK
        if settings.master.startswith(_STANDALONE):
            confs["spark.authenticate.secret"] = _master_secret(settings)
        confs["spark.jars"] = ",".join(map(str, jars))
        # Effective where hosts have the jars at the same paths.
        confs["spark.executor.extraClassPath"] = ":".join(map(str, jars))
        confs["spark.executor.extraJavaOptions"] = " ".join((*_LOGIN_FLAGS, _COMPILE_ALL))
    if stays_here(settings):
        confs["spark.driver.host"] = confs["spark.driver.bindAddress"] = "127.0.0.1"
    return confs


def _master_secret(settings: EngineSettings) -> str:
    """The secret of a standalone master. Other masters create one per application; a standalone master has
    only the one that its administrator configured.

    Spark passes it to executors in their environment, never as an argument.

    Raises:
        MasterSecretError: it is missing or unusable.
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


def _jvm_flags(settings: EngineSettings, archive: Path | None) -> list[str]:
    flags = [
        *HEAP_FLAGS,
        # The JVM's own is a part of the host's memory, below which a heap never shrinks (`jobs.engine.heap`).
        f"-Xms{min(_FIRST_HEAP_MB, settings.driver_memory_mb)}m",
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={crash_report(settings)}",
        _COMPILE_ALL,
        # The positions of consumers are read over JMX.
        "--add-opens=java.management/com.sun.jmx.mbeanserver=ALL-UNNAMED",
        *_LOGIN_FLAGS,
        f"-Dlog4j2.configurationFile={LOG_CONFIGURATION.as_uri()}",
        f"-Dweir.log={'text' if writes_text(os.environ) else 'json'}",  # names an appender there
        f"-Djava.io.tmpdir={tmp_dir(settings)}",
    ]
    if archive is not None:
        quiet = [
            "-Xlog:cds=off",
            "-Xlog:cds+dynamic=off",
        ]  # the JVM ignores an archive that doesn't fit; that needs no warning
        flags += [
            f"-XX:SharedArchiveFile={archive}"
            if archive.exists()
            else f"-XX:DumpLoadedClassList={class_list(settings)}",
            *quiet,
        ]
    return flags


def _quoted(flag: str) -> str:
    """A flag as Spark splits a text of several: one whose path has a space would be two."""
    if not set(flag) & set(" \"'\\"):
        return flag
    return '"' + flag.replace("\\", "\\\\").replace('"', '\\"') + '"'


def stays_here(settings: EngineSettings) -> bool:
    """Whether all processes of an engine are on this host, so that it can listen on loopback only."""
    return settings.master == "local" or urlsplit(settings.master).hostname in (
        "127.0.0.1",
        "localhost",
        "::1",
    )
