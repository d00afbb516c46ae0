"""Samples of all sources of a document that meet in time.

The newest records of a fast stream may be of seconds, those of a slow one of hours, or the slow one may be
silent since yesterday: read each alone, their rows never meet and every join previews empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from weir.preview.services.samples import Sample, SourceChoice, sample, with_times
from weir.streams.models import Stream
from weir.streams.services.decoding import page_budget

_TAKES_PART: Final = ("newest", "time", "key")
_ENOUGH: Final = 0.5
"""Share of a source's records up to the moment where all sources have some; with fewer it is read again."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a source gives."""

    stream: Stream
    choice: SourceChoice


def aligned_samples(wanted: Mapping[str, Wanted], room: int) -> dict[str, Sample]:
    """The records of all sources with their event times, by source.

    The source whose records end first gives the moment. A stream that is to give its newest records, and has
    most of them after it, gives those around it instead. Tables are read whole as far as there is room, so
    they have no part in it.

    Args:
        wanted: by source.
        room: bytes that keys and values of each may have.

    Raises:
        ServiceError: a line cannot be a record of the stream.
        NotFoundError: a topic does not exist.
        UnreachableError: a cluster does not answer.
        BusyError: a topic has large batches, and others read such topics.
    """
    found = _aligned(wanted, room)
    with page_budget():  # of all together, whatever the records hold
        return {name: with_times(wanted[name].stream, one) for name, one in found.items()}


def _aligned(wanted: Mapping[str, Wanted], room: int) -> dict[str, Sample]:
    found = {name: sample(one.stream, one.choice, room) for name, one in wanted.items()}
    streams = [
        name
        for name, one in wanted.items()
        if one.choice.kind in _TAKES_PART and found[name].records and one.stream.kind != "table"
    ]
    if len(streams) < 2:
        return found
    moment = min(found[name].records[-1].timestamp_us for name in streams)
    for name in streams:
        one = wanted[name]
        if one.choice.kind == "newest" and _is_after(found[name], moment):
            found[name] = sample(one.stream, one.choice, room, around_us=moment)
    return found


def _is_after(one: Sample, moment_us: int) -> bool:
    before = sum(record.timestamp_us <= moment_us for record in one.records)
    return before < _ENOUGH * len(one.records)
