"""Answers of engines, as they come: one reader of `weir.answers` in each web process that waits for some."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from pydantic import ValidationError

from jobs.kafka_messages import ANSWERS_TOPIC, Answer
from weir.clusters.services.clients import consumer, home_profile
from weir.clusters.services.offsets import watermarks
from weir.clusters.services.reachability import translate_errors
from weir.workspaces.errors import UnreachableError

_LOG: Final = logging.getLogger("weir.preview")
_POLL_S: Final = 0.2
_IDLE_S: Final = 120.0  # without anybody who waits, the reader ends


class Waiting:
    """Somebody who waits for the answer to an ask."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._lost = False
        self.answer: Answer | None = None

    def take(self, answer: Answer) -> None:
        """The answer has come."""
        self.answer = answer
        self._over.set()

    def lose(self) -> None:
        """Nobody reads answers any more."""
        self._lost = True
        self._over.set()

    def wait(self, seconds: float) -> Answer | None:
        """The answer; None: there is none after that time.

        Raises:
            UnreachableError: answers can't be read.
        """
        self._over.wait(seconds)
        if self._lost and self.answer is None:
            text = "The answer of the engine can't be read from Kafka. Try again in a moment."
            raise UnreachableError("BROKER_UNREACHABLE", text)
        return self.answer


class Answers:
    """Hands each answer to who waits for it.

    The reader is assigned to the end of the topic before an ask is sent, so no answer is missed. It ends
    after two minutes without asks, and when it fails, which those who wait are told; the next ask starts
    another one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, Waiting] = {}
        self._running = False

    @contextmanager
    def waiting(self, ask_id: str) -> Iterator[Waiting]:
        """Wait for the answer to an ask, which is sent inside.

        Raises:
            UnreachableError: the broker does not answer.
        """
        one = Waiting()
        with self._lock:
            if not self._running:
                self._start()
            self._waiting[ask_id] = one
        try:
            yield one
        finally:
            with self._lock:
                self._waiting.pop(ask_id, None)

    def _start(self) -> None:
        profile = home_profile()
        with translate_errors(profile):
            ends = watermarks(profile, {ANSWERS_TOPIC: 1})
            client = consumer(profile, fetch_wait_max_ms=50)
            client.assign(
                [TopicPartition(topic, partition, high) for (topic, partition), (_, high) in ends.items()]
            )
        self._running = True
        threading.Thread(target=self._read, args=(client,), name="answers", daemon=True).start()

    def _read(self, client: Consumer) -> None:
        used_at = time.monotonic()
        try:
            while True:
                self._hand_over(client)
                with self._lock:
                    if self._waiting:
                        used_at = time.monotonic()
                    elif time.monotonic() - used_at > _IDLE_S:
                        self._running = False  # under the lock: who asks next starts another one
                        return
        except KafkaException as error:
            _LOG.warning("%s can't be read: %s", ANSWERS_TOPIC, error)
            self._failed()
        except Exception:  # noqa: BLE001 - a defect: the next ask starts another reader
            _LOG.exception("%s can't be read", ANSWERS_TOPIC)
            self._failed()
        finally:
            client.close()

    def _failed(self) -> None:
        with self._lock:
            self._running = False
            for one in self._waiting.values():
                one.lose()

    def _hand_over(self, client: Consumer) -> None:
        message = client.poll(_POLL_S)
        if message is None:
            return
        error, key, value = message.error(), message.key(), message.value()
        if error is not None:
            if error.fatal() or (not error.retriable() and error.code() != KafkaError._PARTITION_EOF):
                raise KafkaException(error)
            return
        with self._lock:
            one = self._waiting.get(key.decode("utf-8", "replace") if isinstance(key, bytes) else "")
        if one is None or value is None:
            return
        try:
            one.take(Answer.model_validate_json(value))
        except ValidationError:
            _LOG.warning("record %s of %s is no answer", message.offset(), ANSWERS_TOPIC)


ANSWERS: Final = Answers()
