"""Schemas of writers that were unknown when a job started: read from ``weir.schemas`` by the process that
decodes.

A new version of a subject so reaches a running job without a restart: whoever first meets its id reads the
topic on from where it stood. Workers of Spark keep what they read as long as they live.
"""

import logging
import time
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from pydantic import ValidationError

from jobs.connections import ClusterProfile, librdkafka_options
from jobs.formats.avro_records import SchemaOf
from jobs.kafka_messages import SCHEMAS_TOPIC, SCHEMAS_WHOLE_KEY, WriterSchema, schema_key

READ_TIMEOUT_S: Final = 15.0
_POLL_TIMEOUT_S: Final = 0.2

log = logging.getLogger(__name__)


class SchemasUnreachableError(Exception):
    """The topic of schemas cannot be read.

    Nobody knows what the record is, so its batch is tried again, and nothing is skipped.
    """


@dataclass
class _Known:
    """What this process has read of a workspace's schemas: texts by id, the next offset, Kafka's id of the
    topic that they are of, and whether it has said that it has all of them.
    """

    texts: dict[int, str] = field(default_factory=dict)
    following: int = 0
    topic_id: str = ""
    is_whole: bool = False

    def begin_with(self, topic_id: str) -> None:
        """Forget what another topic of the name said: the next offset of one is no place in the other."""
        if topic_id != self.topic_id:
            self.texts.clear()
            self.following, self.topic_id, self.is_whole = 0, topic_id, False


_KNOWN: Final[dict["WriterSchemas", _Known]] = {}


@dataclass(frozen=True)
class WriterSchemas:
    """The schemas of one workspace's registry; travels to Spark's workers.

    Attributes:
        home: the cluster that carries Weir's own topics.
        workspace: whose registry gives the ids.
    """

    home: ClusterProfile
    workspace: str

    def of_batch(self) -> SchemaOf:
        """Schemas by id for the records of one batch, all of which were read before this call.

        The first unknown id reads the topic to its end. For a batch once is enough, however many ids are
        unknown: a schema is in the topic before any record has its id. An id that is not there does not
        exist.

        Raises:
            SchemasUnreachableError: from the function, when the topic cannot be read, or was made anew and
                the schema is not in it yet.
        """
        known = _KNOWN.setdefault(self, _Known())
        complete = False

        def text_of(number: int) -> str | None:
            nonlocal complete
            if number not in known.texts and not complete:
                self._read_on(known)
                complete = known.is_whole
                if number not in known.texts and not known.is_whole:
                    raise SchemasUnreachableError(f"{SCHEMAS_TOPIC} is being written anew")
            return known.texts.get(number)

        return text_of

    def _read_on(self, known: _Known) -> None:
        consumer = Consumer(
            {
                **librdkafka_options(self.home),
                "group.id": "weir-no-group",  # partitions are assigned; nothing is joined or committed
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",  # after the topic was recreated
                "fetch.wait.max.ms": 20,
                "log_level": 2,
            }
        )
        try:
            known.begin_with(self._topic_id())
            consumer.assign([TopicPartition(SCHEMAS_TOPIC, 0, known.following)])
            deadline = time.monotonic() + READ_TIMEOUT_S
            while time.monotonic() < deadline:
                message = consumer.poll(_POLL_TIMEOUT_S)
                if message is not None and self._take(message, known):
                    return
        finally:
            consumer.close()
        raise SchemasUnreachableError(
            f"{SCHEMAS_TOPIC} on {self.home.bootstrap} couldn't be read completely in {READ_TIMEOUT_S:.0f} s"
        )

    def _topic_id(self) -> str:
        admin = AdminClient({**librdkafka_options(self.home), "log_level": 2})
        asked = admin.describe_topics(TopicCollection([SCHEMAS_TOPIC]), request_timeout=READ_TIMEOUT_S)
        try:
            return str(asked[SCHEMAS_TOPIC].result().topic_id)
        except KafkaException as error:
            raise SchemasUnreachableError(
                f"{SCHEMAS_TOPIC} on {self.home.bootstrap}: {error.args[0].str()}"
            ) from error

    def _take(self, message: Message, known: _Known) -> bool:
        """Keep one schema; True at the topic's end."""
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:
                return True
            if error.retriable():
                return False
            raise SchemasUnreachableError(f"{SCHEMAS_TOPIC} on {self.home.bootstrap}: {error.str()}")
        known.following = (message.offset() or 0) + 1
        key, value = message.key(), message.value()
        name = key.decode("utf-8", "replace") if isinstance(key, bytes) else ""
        if name == SCHEMAS_WHOLE_KEY:
            known.is_whole = value is not None
        number = name.removeprefix(schema_key(self.workspace, 0)[:-1])
        if number == name or not number.isdecimal():
            return False
        if value is None:
            known.texts.pop(int(number), None)
            return False
        try:
            known.texts[int(number)] = WriterSchema.model_validate_json(value).text
        except ValidationError:
            log.warning("%s: record %s is no schema", SCHEMAS_TOPIC, message.offset())
        return False
