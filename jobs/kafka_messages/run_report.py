"""What every report about a run says, and why one failed."""

from typing import Annotated

from pydantic import AfterValidator

from jobs.base.storable import without_nul
from jobs.kafka_messages.message import Message

QuotedText = Annotated[str, AfterValidator(without_nul)]
"""What Spark or a library says: it may quote a record."""


class Failure(Message):
    """Why a run or engine failed.

    `code` is fixed, `message` plain words with what to do, `raw` the original text.

    Codes: TOPIC_NOT_FOUND, TOPIC_RECREATED, DATA_LOST, BROKER_UNREACHABLE, SUPERSEDED, STATE_INCOMPATIBLE,
    STATE_DAMAGED, CHECKPOINT_MISSING, DISK_FULL, OUT_OF_SLOTS, OUT_OF_MEMORY, EXECUTOR_LOST, PLAN_INVALID,
    AUTHENTICATION_FAILED, BROADCAST_TOO_LARGE, RESULT_TOO_LARGE, RUN_TOO_LARGE, TOPIC_FOREIGN,
    CLUSTER_REFUSED, ENGINE_ERROR. Of a queued run, which has not failed: AT_CAPACITY, STARTS_IN_TURN,
    NO_ENGINE_ROOM.
    """

    code: str
    message: QuotedText
    raw: QuotedText = ""
    permanent: bool = False  # True: a restart cannot help


class RunReport(Message):
    """A report about one run: its time, the run's epoch and the engine's incarnation."""

    at_us: int
    engine_id: str
    incarnation: str
    run_id: str
    epoch: int
