"""The engine: one process, one Spark application, many runs."""

import faulthandler
import logging
import logging.config
import os
import platform
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from jobs.base.cds_path import cds_path, java_of_spark
from jobs.base.class_data import start_recorder
from jobs.base.log_lines import log_configuration
from jobs.base.quiet_file import quiet_file
from jobs.engine.asks import Asks
from jobs.engine.consumer_metrics import ConsumerMetrics
from jobs.engine.controller import Controller
from jobs.engine.desired_runs import DesiredRuns
from jobs.engine.executors import await_executor
from jobs.engine.fetch_wait import fetch_wait_ms, gather, has_own_engine
from jobs.engine.heap import release_free_memory
from jobs.engine.host_engines import HostEngines
from jobs.engine.kafka_admins import KafkaAdmins
from jobs.engine.key_file import use_key_file
from jobs.engine.launch import class_list, spark_jars, tmp_dir
from jobs.engine.prepared_queries import PreparedQueries
from jobs.engine.processor_load import HostUse
from jobs.engine.reporter import HeartbeatLoop, Reporter, now_us
from jobs.engine.run_logs import RunLogHandler, RunLogs
from jobs.engine.run_supervisor import RunSupervisor
from jobs.engine.spark_log import SparkLog
from jobs.engine.start_gate import StartGate
from jobs.engine.warmup import AFTER_READY, BEFORE_READY, FEW_RECORDS, MANY_RECORDS, warm_up
from jobs.engine.watcher import Watcher
from jobs.kafka_messages import DesiredRun, EngineSettings, RunMode
from jobs.run_states import RUNNING

STOP_TIMEOUT_S: Final = 8.0
HOOK_TIMEOUT_S: Final = 30.0  # the runs, the last reports and, with executors, Spark's context
# From when an engine serves until its class data are recorded: its first runs have loaded what they need, and
# what else a first start does is done.
CLASSES_AFTER_S: Final = 60.0
HOOK_PRIORITY: Final = 1_000  # Spark's own hook has 40
# When one of them crashes, the engine ends, and the platform starts a new one.
VITAL_THREADS: Final = ("heartbeat", "watcher")

log = logging.getLogger("jobs.engine")


class Engine:
    """Owns the parts of an engine, and starts and stops them in order."""

    def __init__(self, settings: EngineSettings, session: Callable[[], SparkSession]) -> None:
        self._settings = settings
        self._open_session = session
        use_key_file(settings.encryption_key_file)
        self._stop = threading.Event()
        self._stopped = threading.Event()
        self._reporter = Reporter(settings)
        self._run_logs = RunLogs(settings)
        self._admins = KafkaAdmins(
            settings.home, private_allowed=settings.private_clusters, listeners=settings.home_listeners
        )
        self._prepared = PreparedQueries(settings, lambda: self._gate.runs_at_start())
        self._controller = Controller(
            settings.engine_id,
            self._supervisor,
            self._prepare_run,
            self._prepared.discard,
            host=settings.host,
        )
        self._heartbeat = HeartbeatLoop(settings, self._controller.heartbeats, self._controller.slots_used)
        self._host = HostEngines(Path(settings.data_dir) / "engines" / "host", settings.engine_id)
        use = HostUse()
        self._gate = StartGate(
            self._heartbeat.processor_load.load,
            self._controller.started,
            host=self._host,
            used=lambda: use.cores(time.monotonic()),
        )
        self._session: SparkSession | None = None
        self._session_open_us: int | None = None
        self._gathered_ms = 0
        self._jvm_pid: int | None = None

    def run(self) -> None:
        """Run until `stop` is called."""
        quiet = quiet_file(Path(self._settings.data_dir), self._settings.engine_id)
        quiet.touch()  # an engine that has not served yet needs nobody either
        self._run_logs.start()
        logging.getLogger().addHandler(RunLogHandler(self._run_logs))
        self._heartbeat.start()
        self._host.start(self._share_host)
        end_with_parent()
        session = self._session = self._open_session()
        jvm: Any = session.sparkContext._jvm
        self._jvm_pid = jvm.java.lang.ProcessHandle.current().pid()
        self._session_open_us = now_us()
        log.info("the Spark session is open")
        SparkLog(session, self._run_logs, self._controller.logs_of).start()
        self._heartbeat.versions = versions(session)
        self._stop_before_context(session)
        if self._settings.master != "local":
            await_executor(session, self._stop.is_set)
        desired = DesiredRuns(self._settings.home, self._settings.engine_id)
        metrics = ConsumerMetrics(session.sparkContext._jvm) if self._settings.master == "local" else None
        watcher = Watcher(
            self._settings.home,
            self._reporter,
            self._admins,
            metrics,
            self._controller.supervisors,
            desired.set_topic_id,
        )
        watcher.start()
        self._asks = asks = Asks(self._settings, session, self._controller.alive)
        asks.start()
        quiet.unlink()
        self._serve(session, desired)
        log.info("the engine stops")
        desired.close()
        asks.stop()
        self._controller.stop_all(STOP_TIMEOUT_S)
        log.info("the runs have stopped")
        self._host.stop()
        watcher.stop()
        self._run_logs.stop()
        self._heartbeat.stop()
        self._reporter.flush(2)
        log.info("the last report is sent")
        quiet.touch()
        self._leave(session)

    def stop(self) -> None:
        """Request the end; returns at once."""
        self._stop.set()

    def _serve(self, session: SparkSession, desired: DesiredRuns) -> None:
        preparation: threading.Thread | None = None
        while not self._stop.is_set():
            for run_id, run in desired.changes():
                self._controller.apply(run_id, run)
                if run is not None and run.state == RUNNING:
                    self._asks.give_way()
            if desired.complete and preparation is None:
                preparation = threading.Thread(
                    target=self._prepare_and_record, args=(session,), name="prepare", daemon=True
                )
                preparation.start()

    def _share_host(self) -> None:
        """Tell the host's other engines what this one uses, and gather records as all their runs ask for.
        A dedicated engine, which a standby may have become, is for a job that gets each at once.
        """
        self._gate.tell()
        alone = self._settings.kind == "dedicated" or any(
            has_own_engine(each.run) for each in self._controller.supervisors()
        )
        if self._session is not None and self._settings.master == "local":
            wait_ms = 0 if alone else fetch_wait_ms(self._gate.runs())
            try:
                if wait_ms != self._gathered_ms:
                    gather(self._session.sparkContext._jvm, wait_ms)
                    self._gathered_ms = wait_ms
            except Py4JError as error:  # it stops
                log.debug("the wait of fetches stays as it is: %s", error)

    def _prepare_and_record(self, session: SparkSession) -> None:
        self._prepare(session)
        if not self._stop.wait(0 if self._settings.standby else CLASSES_AFTER_S):
            self._record_classes(session)

    def _prepare(self, session: SparkSession) -> None:
        """Warm up and become ready. The warm-up ends as soon as there are runs, which must not wait.

        It then warms up for previews, and a standby that is still without runs gives back memory. An engine
        that serves does not: its first run would have to wait.
        """
        self._warm_up(lambda: self._play_rounds(session, BEFORE_READY))
        self._heartbeat.ready = True
        self._heartbeat.send()
        for mode in AFTER_READY:
            if self._asks.wait_unasked(self._busy):
                self._warm_up(partial(self._play_rounds, session, (mode,), records=MANY_RECORDS))
        self._warm_up(lambda: self._asks.warm_up(self._busy))
        if self._settings.standby:
            if self._asks.wait_unasked(self._busy):
                release_free_memory(session.sparkContext._jvm)
            self._heartbeat.plays_ready = True

    def _play_rounds(
        self, session: SparkSession, rounds: tuple[RunMode, ...], records: int = FEW_RECORDS
    ) -> None:
        began = time.monotonic()

        def stop() -> bool:
            return self._busy() or (self._heartbeat.ready and self._asks.is_asked_since(began))

        warm_up(session, self._settings, self._admins, rounds, stop, records)

    def _warm_up(self, part: Callable[[], None]) -> None:
        try:
            part()
        except Exception:
            # It serves all the same: nobody starts another engine in place of one that is never ready.
            log.exception("the warm-up failed")

    def _busy(self) -> bool:
        """True when the engine is stopping, or has runs."""
        return self._stop.is_set() or bool(self._controller.supervisors())

    def _record_classes(self, session: SparkSession) -> None:
        """Have the class-data archive made, where there is none. Without one everything works."""
        archive = cds_path(Path(self._settings.data_dir), spark_jars(self._settings))
        java = java_of_spark()
        jvm: Any = session.sparkContext._jvm
        if archive is not None and java is not None:
            with suppress(OSError, Py4JError):  # such as no memory for a process, or it stops
                class_path = jvm.java.lang.System.getProperty("java.class.path")
                recorder = start_recorder(archive, class_list(self._settings), class_path, java)
                if recorder is not None and (problem := recorder.communicate()[1]):
                    log.warning("no class-data archive: %s", problem.strip())

    def _leave(self, session: SparkSession) -> None:
        """End the application.

        A local engine has written everything by now. Its JVM is killed: an orderly exit takes seconds, and so
        may `Runtime.halt`, which waits up to 10 s for the methods that are being compiled.
        """
        if self._settings.master == "local":
            shutil.rmtree(tmp_dir(self._settings), ignore_errors=True)
            if self._jvm_pid is not None and os.getppid() == self._jvm_pid:  # not gone yet
                os.kill(self._jvm_pid, signal.SIGKILL)
            os._exit(0)  # the thread of the JVM's hook still waits
        session.stop()
        self._stopped.set()

    def _supervisor(self, run: DesiredRun, predecessor: RunSupervisor | None) -> RunSupervisor:
        assert self._session is not None
        supervisor = RunSupervisor(
            run,
            self._session,
            self._settings,
            self._reporter,
            self._admins,
            self._gate,
            predecessor,
            self._prepared,
        )
        supervisor.reports.reached("engine_ready", self._session_open_us)
        return supervisor

    def _prepare_run(self, announced: DesiredRun) -> None:
        assert self._session is not None
        self._prepared.prepare(self._session, announced)

    def _stop_before_context(self, session: SparkSession) -> None:
        """Let a JVM that receives a termination signal wait for the queries before it stops the context."""
        gateway: Any = session.sparkContext._gateway
        ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]  # PySpark gives it no types
        hooks = gateway.jvm.org.apache.hadoop.util.ShutdownHookManager.get()
        # In a Java thread: the JVM needs the hash of a hook, and a Python object gives none.
        hook = gateway.jvm.java.lang.Thread(ShutdownHook(self._stop, self._stopped))
        seconds = gateway.jvm.java.util.concurrent.TimeUnit.SECONDS
        hooks.addShutdownHook(hook, HOOK_PRIORITY, int(HOOK_TIMEOUT_S), seconds)


class ShutdownHook:
    """Runs when the JVM receives a termination signal, before Spark's own hook."""

    def __init__(self, stop: threading.Event, stopped: threading.Event) -> None:
        self._stop = stop
        self._stopped = stopped

    def run(self) -> None:
        """Stop the engine and wait for its end; the JVM calls this and waits for it."""
        self._stop.set()
        self._stopped.wait(HOOK_TIMEOUT_S)

    def hashCode(self) -> int:  # noqa: N802 - Java's name: the JVM keeps its hooks in a hash set
        """The hash, which the JVM needs."""
        return 1

    def equals(self, other: object) -> bool:
        """Whether the other object is this hook."""
        return other is self

    def toString(self) -> str:  # noqa: N802
        """The name in the JVM's log."""
        return "stop the queries"

    class Java:
        """The Java interfaces that Py4J implements with this class."""

        implements = ["java.lang.Runnable"]  # noqa: RUF012


def end_with_parent() -> None:
    """Exit when the parent process, the JVM, is gone: this process can't work without it."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def versions(session: SparkSession) -> dict[str, str]:
    """Versions of Spark, Java, Python and the JVM's time zone rules, for heartbeats."""
    jvm: Any = session.sparkContext._jvm
    return {
        "spark": session.version,
        "java": jvm.java.lang.System.getProperty("java.version"),
        "python": platform.python_version(),
        "zones": jvm.java.time.zone.ZoneRulesProvider.getVersions("UTC").lastEntry().getKey(),
    }


def main(session: Callable[[], SparkSession]) -> None:
    """Run the engine that the settings file describes; its path is the only argument of the process.

    Args:
        session: waits for Spark's session.
    """
    settings = EngineSettings.model_validate_json(Path(sys.argv[1]).read_bytes())
    logging.config.dictConfig(log_configuration(lambda: "engine", engine=settings.engine_id))
    logging.getLogger("py4j").setLevel(logging.WARNING)
    faulthandler.enable()  # prints the traceback of a crash in a native library
    engine = Engine(settings, session)

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        engine.stop()

    jvm = os.getppid()

    def on_thread_error(error: threading.ExceptHookArgs) -> None:
        name = error.thread.name if error.thread else "?"
        if os.getppid() != jvm:  # killed; what fails for that reason is no trace of a crash
            return
        log.critical("thread %s crashed", name, exc_info=error.exc_value)
        if name in VITAL_THREADS:
            engine.stop()

    threading.excepthook = on_thread_error
    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    engine.run()
