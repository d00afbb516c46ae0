"""Plays what the platform asks for, previews and tests of jobs (`docs/reference/preview.md`): one ask at a
time, beside the runs and never in their threads.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from confluent_kafka import OFFSET_END, Consumer, KafkaException, Producer, TopicPartition
from py4j.protocol import Py4JError
from pydantic import ValidationError
from pyspark.sql import SparkSession

from jobs.connections import librdkafka_options
from jobs.engine.folder_plays import play_next
from jobs.engine.formats.writer_schemas import WriterSchemas
from jobs.engine.heap import collect_garbage
from jobs.engine.launch import tmp_dir
from jobs.engine.play import play
from jobs.engine.play.answers import fitted
from jobs.engine.play.warmup import warm_up_scripts
from jobs.engine.reporter import now_us
from jobs.job_tests.play_folder import PlayFolder, play_folder
from jobs.kafka_messages import (
    ANSWERS_TOPIC,
    ASK,
    ASKS_TOPIC,
    MAX_ANSWER_BYTES,
    Answer,
    Ask,
    CancelAsk,
    EngineSettings,
    PlayAsk,
    PlayFolderAsk,
)
from jobs.play import PlayProblem, PlayResult

MAX_WAITING: Final = 8
BUSY_SECONDS: Final = 10.0  # for a play on an engine with runs
_POLL_S: Final = 0.2
# Plays of a standby's warm-up: after so many the compiler has little left
# (docs/decisions/2026-11-24-preview.md). An engine that serves plays each kind once; its runs come first.
_WARM_UPS_OF_STANDBY: Final = 24
_WARM_UPS: Final = 2
_IDLE_S: Final = 0.4
UNASKED_S: Final = 3.0  # a person who looks at a preview may ask for the next
_POOL: Final = "asks"
# Nobody waits any more, unless the clocks of two hosts differ.
_TOO_LATE: Final = (
    "The engine took it up too late: it was busy, or its clock is ahead. Try again in a moment."
)
_WAITED: Final = "The engine played others first, and this one too late to end. Try again in a moment."
_STOPS: Final = "The engine stops. Try again in a moment."

log = logging.getLogger(__name__)


class Asks:
    """Reads asks, and answers them in a thread of its own.

    Args:
        settings: of the engine.
        session: of the application.
        runs: returns how many runs the engine has; ended ones are none.
    """

    def __init__(self, settings: EngineSettings, session: SparkSession, runs: Callable[[], int]) -> None:
        self._settings, self._session, self._runs = settings, session, runs
        self._folder = tmp_dir(settings) / "plays"  # deleted with the rest of a process that was killed
        self._producer = Producer(
            {**librdkafka_options(settings.home), "compression.type": "lz4", "linger.ms": 0, "log_level": 2}
        )
        self._waiting: dict[str, PlayAsk | PlayFolderAsk] = {}  # by owner, in the order of arrival
        self._playing: tuple[PlayAsk | PlayFolderAsk, threading.Event] | None = None
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._asked_at = float("-inf")  # when one was last taken, or answered; of the monotonic clock
        self._threads = [
            threading.Thread(target=self._read, name="asks", daemon=True),
            threading.Thread(target=self._answer_all, name="answers", daemon=True),
        ]

    def start(self) -> None:
        """Start both threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Break off what is played, and end; whoever waits is told."""
        self._stopped.set()
        with self._changed:
            left, self._waiting = list(self._waiting.values()), {}
            if self._playing is not None:
                self._playing[1].set()
            self._changed.notify_all()
        for ask in left:
            self._refuse(ask, _STOPS)
        for thread in self._threads:
            thread.join(3)
        self._producer.flush(1)

    def warm_up(self, stop: Callable[[], bool]) -> None:
        """Play small scripts until `stop` returns true, so that asks find classes loaded and compiled.

        An ask breaks off what is played, as does `give_way`; the warm-up goes on a while later.
        """
        scripts, played = warm_up_scripts(), 0
        wanted = _WARM_UPS_OF_STANDBY if self._settings.standby else _WARM_UPS
        while played < wanted and self.wait_unasked(stop):
            began = time.monotonic()
            with self._one_at_a_time:
                result = play(
                    self._session,
                    scripts[played % len(scripts)],
                    self._new_folder(),
                    canceled=partial(self._ends_warm_up, began, stop),
                )
            if result.problem is None:
                played += 1
                log.info("warm-up of plays %s: %.1f s", played, time.monotonic() - began)
            elif result.problem.code != "CANCELED":
                log.warning("a play of the warm-up failed: %s %s", result.problem.message, result.problem.raw)
                return

    def _ends_warm_up(self, began: float, stop: Callable[[], bool]) -> bool:
        return stop() or self.is_asked_since(began)

    def give_way(self) -> None:
        """A run begins on another engine: it needs the processors that a warm-up takes."""
        with self._changed:
            self._asked_at = time.monotonic()

    def is_asked_since(self, began: float) -> bool:
        """Whether somebody has asked, or needs the processors, since then; of the monotonic clock."""
        with self._changed:
            return self._is_asked() or self._asked_at > began

    def wait_unasked(self, stop: Callable[[], bool]) -> bool:
        """Wait until nobody has asked for some seconds; False when `stop` returned true before."""
        while not stop():
            with self._changed:
                since = time.monotonic() - self._asked_at
                if not self._is_asked() and since >= UNASKED_S:
                    return True
            time.sleep(_POLL_S)
        return False

    def _is_asked(self) -> bool:
        return bool(self._waiting) or self._playing is not None

    def take(self, ask: Ask) -> None:
        """Queue an ask of this engine; an older one of the same owner is given up. One that comes twice
        counts once.
        """
        refused = None
        with self._changed:
            self._asked_at = time.monotonic()
            playing, canceled = self._playing or (None, threading.Event())
            if ask in (playing, self._waiting.get(ask.owner)):
                return
            replaced = self._waiting.pop(ask.owner, None)
            if playing is not None and playing.owner == ask.owner:
                canceled.set()
            if not isinstance(ask, CancelAsk):
                if len(self._waiting) >= MAX_WAITING:
                    refused = ask
                elif self._accepts(ask):
                    self._waiting[ask.owner] = ask
            self._changed.notify_all()
        if isinstance(replaced, PlayAsk):
            self._send(replaced, _failed("CANCELED", "The play was canceled."))
        if refused is not None:
            self._refuse(refused, "The engine plays other previews. Try again in a moment.")

    def _refuse(self, ask: PlayAsk | PlayFolderAsk, reason: str) -> None:
        """Say that an ask is not going to be played."""
        if isinstance(ask, PlayAsk):
            self._send(ask, _failed("BUSY", reason))
        else:
            self._decline(ask)

    def _accepts(self, ask: PlayAsk | PlayFolderAsk) -> bool:
        """Whether it is going to be played. Of a folder the platform is told: where it is not, a process of
        its own plays it.
        """
        if not isinstance(ask, PlayFolderAsk):
            return True
        if self._runs():
            self._decline(ask)
            return False
        try:
            self._folder_of(ask).accept()
        except OSError as error:  # gone, or nothing can be written: results could not be either
            log.info("the folder of %s is not played: %s", ask.run_id, error)
            return False
        return True

    def _decline(self, ask: PlayFolderAsk) -> None:
        try:
            self._folder_of(ask).decline()
        except OSError as error:  # on a full disk the platform waits in vain, but other asks are served
            log.warning("the folder of %s could not be declined: %s", ask.run_id, error)

    def _read(self) -> None:
        consumer = Consumer(
            {
                **librdkafka_options(self._settings.home),
                "group.id": f"weir-engine-{self._settings.engine_id}-asks",
                "enable.auto.commit": False,
                "auto.offset.reset": "latest",
                "fetch.wait.max.ms": 500,
                "reconnect.backoff.max.ms": 1000,
                "topic.metadata.refresh.interval.ms": 5000,
                "log_level": 2,
            }
        )
        consumer.assign([TopicPartition(ASKS_TOPIC, 0, OFFSET_END)])
        while not self._stopped.is_set():
            message = consumer.poll(_POLL_S)
            if message is None:
                continue
            error, value = message.error(), message.value()
            if error is not None:
                log.debug("%s: %s", ASKS_TOPIC, error)
                continue
            try:
                ask = ASK.validate_json(value or b"")
            except ValidationError as invalid:
                log.warning("%s: record %s is no ask: %s", ASKS_TOPIC, message.offset(), invalid)
                continue
            if ask.engine_id == self._settings.engine_id:
                self.take(ask)
        consumer.close()

    def _answer_all(self) -> None:
        self._session.sparkContext.setLocalProperty("spark.scheduler.pool", _POOL)
        while not self._stopped.is_set():
            with self._changed:
                self._changed.wait_for(self._is_wanted)
                if self._stopped.is_set():
                    return
                owner = next(iter(self._waiting))
                ask, canceled = self._waiting.pop(owner), threading.Event()
                self._playing = ask, canceled
            try:
                if ask.expires_us > now_us():
                    self._serve(ask, canceled)
                else:
                    self._refuse(ask, _TOO_LATE)
            except Exception:
                # Whatever a document may do to a play, the next ask is served.
                log.exception("an ask of %s failed", owner)
                if isinstance(ask, PlayAsk):
                    self._send(
                        ask, _failed("ENGINE_ERROR", "The engine could not play the job. Its log says why.")
                    )
                else:
                    self._decline(ask)
            finally:
                with self._changed:
                    self._playing, self._asked_at = None, time.monotonic()
            self._collect()

    def _is_wanted(self) -> bool:
        return bool(self._waiting) or self._stopped.is_set()

    def _collect(self) -> None:
        """Collect what plays have left, unless somebody asks within a moment, or there are runs."""
        with self._changed:
            if self._changed.wait_for(self._is_wanted, _IDLE_S):
                return
        if not self._runs():
            try:
                collect_garbage(self._session.sparkContext._jvm)
            except Py4JError as error:
                log.warning("garbage is not collected: %s", error)

    def _serve(self, ask: PlayAsk | PlayFolderAsk, canceled: threading.Event) -> None:
        if isinstance(ask, PlayAsk):
            self._answer(ask, canceled)
        elif self._play_script(ask, canceled):
            with self._changed:  # behind the others, unless a newer one of the owner has come
                if not canceled.is_set():
                    self._waiting.setdefault(ask.owner, ask)

    def _play_script(self, ask: PlayFolderAsk, canceled: threading.Event) -> bool:
        """Play one script of a folder; True while there are more. An engine that has runs, or stops, plays
        none, breaks off the one that it plays, and says so: the platform would wait for it.
        """

        def is_over() -> bool:
            return canceled.is_set() or self._runs() > 0

        goes_on = False
        if not is_over():
            with self._one_at_a_time:
                goes_on = play_next(self._session, self._folder_of(ask), self._new_folder(), is_over)
        if self._stopped.is_set() or self._runs():
            self._decline(ask)
            return False
        return goes_on

    def _answer(self, ask: PlayAsk, canceled: threading.Event) -> None:
        script, runs = ask.script, self._runs()
        limits = script.job.limits
        usual = min(limits.seconds, BUSY_SECONDS) if runs else limits.seconds
        # Nobody reads an answer that comes later.
        seconds = min(usual, max((ask.expires_us - now_us()) // 1_000_000, 1))
        limits = limits.model_copy(update={"seconds": seconds})
        script = script.model_copy(update={"job": script.job.model_copy(update={"limits": limits})})
        writers = WriterSchemas(self._settings.home, script.job.workspace)
        with self._one_at_a_time:
            result = play(
                self._session,
                script,
                self._new_folder(),
                writers,
                canceled.is_set,
                lambda result: self._send(ask, self._told(result, waited=seconds < usual), runs),
            )
        log.info("ask %s: %s ms %s", ask.ask_id, result.elapsed_ms, result.spans_ms)

    def _told(self, result: PlayResult, *, waited: bool) -> PlayResult:
        """The result, or why the play was broken off where that is not of its making."""
        code = result.problem.code if result.problem is not None else ""
        if code == "CANCELED" and self._stopped.is_set():
            return _failed("BUSY", _STOPS)
        return _failed("BUSY", _WAITED) if code == "TIMED_OUT" and waited else result

    def _send(self, ask: PlayAsk, result: PlayResult, runs: int = 0) -> None:
        value, _ = fitted(
            Answer(
                ask_id=ask.ask_id,
                engine_id=self._settings.engine_id,
                at_us=now_us(),
                runs=runs,
                result=result,
            ),
            MAX_ANSWER_BYTES,
        )
        try:
            self._producer.produce(ANSWERS_TOPIC, key=ask.ask_id, value=value)
            self._producer.poll(0)
        except (BufferError, KafkaException) as error:
            log.warning("the answer to %s was not sent: %s", ask.ask_id, error)

    def _folder_of(self, ask: PlayFolderAsk) -> PlayFolder:
        return play_folder(Path(self._settings.data_dir), ask.run_id)

    def _new_folder(self) -> Path:
        return self._folder / uuid.uuid4().hex


def _failed(code: str, message: str) -> PlayResult:
    return PlayResult(problem=PlayProblem(code=code, message=message))
