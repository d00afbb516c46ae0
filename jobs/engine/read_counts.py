"""Records that were read of a source, counted in one pass: rows, malformed ones, and how far they move the
watermark (`jvm/src/weir/decode/ReadCounts.java`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jobs.formats.contract import StreamContract
from jobs.formats.malformed_reasons import REASONS
from jobs.kafka_messages import SourceRead

_NAME: Final = "read"


@dataclass(frozen=True, slots=True)
class CountedRead:
    """What was counted of the records of a source.

    Attributes:
        read: records, and malformed ones.
        rows: well-formed ones that are no heartbeats.
        watermark_us: greatest event time of rows and heartbeats less the watermark delay, µs; None without a
            delay, or without such a record.
    """

    read: SourceRead
    rows: int
    watermark_us: int | None


def read_counts(contract: StreamContract) -> dict[str, str]:
    """What is to be observed of `jobs.engine.formats.decoding.decoded` records, for `counted_read`.

    Args:
        contract: of the source, with the delay that the job gives it.
    """
    delay = "NULL" if contract.delay is None else f"{contract.delay_duration.us}L"
    return {_NAME: f"weir_read_counts(_reason, _partition, _offset, _heartbeat, _time, {delay})"}


def counted_read(observed: Any) -> CountedRead:
    """The counts of a source's records.

    Args:
        observed: the metric whose only column is `read_counts`; Spark writes it as a list or as an object.
    """
    text = observed[_NAME] if isinstance(observed, Mapping) else observed[0]
    found = json.loads(text)
    malformed = {reason: found["malformed"][reason] for reason in REASONS if reason in found["malformed"]}
    return CountedRead(
        read=SourceRead.model_validate({**found, "malformed": malformed}),
        rows=found["rows"],
        watermark_us=found.get("watermark_us"),
    )
