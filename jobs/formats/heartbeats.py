"""Heartbeats: records that only say how late it is in their source; whatever else they hold is ignored.

See `docs/semantics/records-and-formats.md#heartbeat-records`.
"""

from collections.abc import Iterable
from typing import Final

from jobs.base.instants import Instant
from jobs.base.iso_times import read_instant
from jobs.formats.contract import StreamContract
from jobs.formats.event_time import within_bounds
from jobs.formats.records import Malformed, Skipped

HEADER: Final = "weir-heartbeat"  # an instant as ISO text

Headers = Iterable[tuple[str, bytes | None]]


def read_heartbeat(
    headers: Headers, contract: StreamContract, timestamp_us: int
) -> Skipped | Malformed | None:
    """What a record with a heartbeat's header is: skipped, or malformed where it says no time; None for a
    record without one.

    Args:
        headers: of the record, in their order; of several the first counts.
        contract: of the stream or table.
        timestamp_us: Kafka's timestamp of the record, in microseconds.
    """
    moment = _moment(headers, contract, timestamp_us)
    return Skipped("A heartbeat.") if isinstance(moment, int) else moment


def heartbeat_time(headers: Headers, contract: StreamContract, timestamp_us: int) -> Instant | None:
    """The instant that a heartbeat says; None for a record that is none, or says no time.

    Args:
        headers: of the record, in their order; of several the first counts.
        contract: of the stream or table.
        timestamp_us: Kafka's timestamp of the record, in microseconds.
    """
    moment = _moment(headers, contract, timestamp_us)
    return None if isinstance(moment, Malformed) else moment


def _moment(headers: Headers, contract: StreamContract, timestamp_us: int) -> Instant | Malformed | None:
    said = next((value for name, value in headers if name == HEADER), None)
    if said is None:
        return None
    return within_bounds(read_instant(said.decode("utf-8", "replace")), contract, timestamp_us, HEADER)
