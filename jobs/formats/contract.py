"""The contract of a registered stream: what a record must be, and how it gets its event time (`semantics.md` 1.2, 1.9)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from jobs.base.durations import Duration, parse_duration
from jobs.base.names import is_name
from jobs.base.schemas import Schema, schema_from_json
from jobs.base.types import parse_type, type_text


def _duration_text(text: str) -> str:
    return str(parse_duration(text))


def _type_text(text: str) -> str:
    return type_text(parse_type(text))


def _field_name(text: str) -> str:
    if not is_name(text):
        raise ValueError(f"{text!r} is not a field name: a letter, then letters, digits and _, 63 at most")
    return text


DurationText = Annotated[str, AfterValidator(_duration_text)]
TypeText = Annotated[str, AfterValidator(_type_text)]


class FieldContract(BaseModel):
    """A declared field; `type` is a type's text form, such as ``decimal(10,2)``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, AfterValidator(_field_name)]
    type: TypeText
    nullable: bool = True


class EventTime(BaseModel):
    """Where a record's event time comes from.

    `kind` append is Kafka's own timestamp; field reads `field`: with `unit` for numbers, with `format` (``iso`` or a
    pattern) for texts, neither for timestamps and dates. `zone` applies to texts without an offset and to dates.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["append", "field"] = "append"
    field: str | None = None
    unit: Literal["s", "ms", "us", "ns"] | None = None
    format: str | None = None
    zone: str = "UTC"
    on_missing: Literal["malformed", "append"] = "malformed"


class StreamContract(BaseModel):
    """What every record of a stream must be. `delay` is how far the watermark trails the greatest event time seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["json"] = "json"
    fields: Annotated[tuple[FieldContract, ...], Field(min_length=1, max_length=500)]
    event_time: EventTime = EventTime()
    delay: DurationText = "10s"
    max_ahead: DurationText | None = None

    @property
    def schema_of_rows(self) -> Schema:
        """The declared fields as a schema, without system fields."""
        return schema_from_json([field.model_dump() for field in self.fields])

    @property
    def delay_duration(self) -> Duration:
        """`delay` as an exact duration."""
        return parse_duration(self.delay)

    def as_json(self) -> dict[str, Any]:
        """The form of the API and of messages."""
        return self.model_dump(mode="json")
