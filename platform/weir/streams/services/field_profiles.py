"""What the values of a stream's fields are, in a sample of its newest records."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from jobs.base.schemas import Field
from jobs.base.types import Array, Map, Struct, type_text
from jobs.formats.records import Row, json_value
from weir.streams.services.row_sample import RowSample

TOP: Final = 5
MAX_TEXT: Final = 100
"""Characters of a value that are shown."""
_NAN: Final = float("nan")  # one for all: two of them are equal in Spark, and not in Python


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """Values of one field in a sample.

    Attributes:
        name: of the field.
        type: as contracts write it.
        nulls: rows in which it is null.
        distinct: number of different values, null not counted; None for arrays, maps and structs.
        lowest: smallest value as JSON; None: no value, or values without an order.
        highest: greatest one.
        top: most frequent values as JSON with their number; none where all differ.
        example: of the newest row that has a value, as JSON; None: no row has.
    """

    name: str
    type: str
    nulls: int
    distinct: int | None
    lowest: Any
    highest: Any
    top: tuple[tuple[Any, int], ...]
    example: Any

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "name": self.name,
            "type": self.type,
            "nulls": self.nulls,
            "distinct": self.distinct,
            "lowest": self.lowest,
            "highest": self.highest,
            "top": [{"value": value, "records": count} for value, count in self.top],
            "example": self.example,
        }


def field_profiles(fields: Iterable[Field], sample: RowSample) -> list[FieldProfile]:
    """Profile the fields of a stream.

    Args:
        fields: of its rows.
        sample: deletions in it are not counted.
    """
    rows = [record.row for record in sample.rows if not record.row.deleted]
    return [_profile(field, rows) for field in fields]


def _profile(field: Field, rows: list[Row]) -> FieldProfile:
    values = [row.values[field.name] for row in rows]
    known = [value for value in values if value is not None]
    example = shown(known[-1]) if known else None
    nulls = len(values) - len(known)
    if isinstance(field.type, Array | Map | Struct):
        return FieldProfile(field.name, type_text(field.type), nulls, None, None, None, (), example)
    counted = Counter(_NAN if value != value else value for value in known)
    numbers = [value for value in counted if value == value]  # NaN has no place in an order
    repeated = len(counted) < len(known)
    return FieldProfile(
        name=field.name,
        type=type_text(field.type),
        nulls=nulls,
        distinct=len(counted),
        lowest=shown(min(numbers)) if numbers else None,
        highest=shown(max(numbers)) if numbers else None,
        top=tuple((shown(value), count) for value, count in counted.most_common(TOP)) if repeated else (),
        example=example,
    )


def shown(value: Any) -> Any:
    """A value as JSON for people: long texts, and whatever contains much, are cut.

    Args:
        value: of a row.
    """
    written = json_value(value)
    if isinstance(written, list | dict):
        written = str(written)
    return f"{written[: MAX_TEXT - 1]}…" if isinstance(written, str) and len(written) > MAX_TEXT else written
