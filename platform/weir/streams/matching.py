"""Which records a person asked for: by key, and by a condition of the job language over the decoded record."""

from typing import Final

from confluent_kafka import Message

from jobs.base.instants import Instant, datetime_of
from jobs.base.schemas import Field, Schema
from jobs.base.types import INT, LONG, TIMESTAMP
from jobs.expressions.evaluation import Values, condition
from jobs.formats.records import Row
from weir.streams.decoding import append_us, decoded
from weir.streams.places import Place
from weir.streams.scanning import Keep
from weir.workspaces.refusals import RefusalError

_SYSTEM: Final = (Field("_time", TIMESTAMP), Field("_append_time", TIMESTAMP), Field("_partition", INT), Field("_offset", LONG))


def matcher(place: Place, key: str | None, where: str | None) -> Keep | None:
    """Which records to keep; None: all. A malformed record meets no condition.

    Args:
        place: of the records; a topic that is no stream has no contract.
        key: the record's key, as text.
        where: a condition over the declared fields, ``_time``, ``_append_time``, ``_partition`` and ``_offset``.

    Raises:
        RefusalError: the condition has faults, or there is no contract that says what its fields are.
    """
    wanted = None if key is None else key.encode()
    meets = None if where is None else _condition(place, where)
    if meets is None and wanted is None:
        return None

    def keep(message: Message) -> bool:
        return (wanted is None or message.key() == wanted) and (meets is None or meets(message))

    return keep


def _condition(place: Place, where: str) -> Keep:
    contract = place.contract
    if contract is None:
        raise RefusalError("FILTER_INVALID", "A condition needs fields; register the topic as a stream first.")
    typed = contract
    holds, problems = condition(where, Schema((*contract.schema_of_rows, *_SYSTEM)), ("where",))
    if holds is None:
        raise RefusalError("FILTER_INVALID", f"The condition: {problems[0].message} {problems[0].hint}".strip(), tuple(problems))
    return lambda message: isinstance(row := decoded(message, typed, place.schema_of), Row) and holds(_values(row, message))


def _values(row: Row, message: Message) -> Values:
    return {
        **row.values,
        "_time": datetime_of(row.event_time),
        "_append_time": datetime_of(Instant(append_us(message))),
        "_partition": message.partition(),
        "_offset": message.offset(),
    }
