"""How many distinct values some fields of a stream have, by a sample of its newest records."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.core.cache import cache

from jobs.formats.records import json_value
from weir.streams.models import Stream
from weir.streams.services.row_sample import row_sample
from weir.streams.services.topic_ref import stream_ref

SAMPLE_RECORDS: Final = 2_000
CACHE_TTL_S: Final = 60


@dataclass(frozen=True)
class Distinct:
    """Distinct values in a sample.

    Attributes:
        values: how many there are; null is one.
        rows: of the sample, without malformed records.
    """

    values: int
    rows: int


def distinct_values(stream: Stream, fields: tuple[str, ...]) -> Distinct:
    """The distinct combinations of these fields' values in the newest records, at most `CACHE_TTL_S` old.

    Args:
        stream: its topic exists.
        fields: declared by its contract.

    Raises:
        UnreachableError: the cluster does not answer.
    """
    key = _key(stream, fields)
    known = cache.get(key)
    if known is None:
        known = _count(stream, fields)
        cache.set(key, known, CACHE_TTL_S)
    return Distinct(*known)


def _count(stream: Stream, fields: tuple[str, ...]) -> tuple[int, int]:
    rows = row_sample(stream_ref(stream), SAMPLE_RECORDS).rows
    seen = {json.dumps([json_value(record.row.values.get(name)) for name in fields]) for record in rows}
    return len(seen), len(rows)


def _key(stream: Stream, fields: tuple[str, ...]) -> str:
    named = json.dumps([stream.pk, stream.topic, stream.contract, fields])
    return f"distinct:{sha256(named.encode()).hexdigest()}"
