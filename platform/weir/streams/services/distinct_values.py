"""How many distinct values some fields of a stream have, by a sample of its newest records."""

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.core.cache import cache

from jobs.base.budget import OverBudget
from jobs.formats.records import Row, json_value
from weir.streams.models import Stream
from weir.streams.services.decoding import decoded, page_budget
from weir.streams.services.sampling import newest_records
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
    contract, ref = stream.stream_contract, stream_ref(stream)
    seen: set[str] = set()
    rows = 0
    with page_budget(), suppress(OverBudget):
        for message in newest_records(ref, SAMPLE_RECORDS).messages:
            row = decoded(message, contract, ref.schema_of)
            if isinstance(row, Row):
                rows += 1
                seen.add(json.dumps([json_value(row.values.get(name)) for name in fields]))
    return len(seen), rows


def _key(stream: Stream, fields: tuple[str, ...]) -> str:
    named = json.dumps([stream.pk, stream.topic, stream.contract, fields])
    return f"distinct:{sha256(named.encode()).hexdigest()}"
