"""The contract of a registered stream: what a record must be, and how it gets its event time.

See `docs/semantics/time.md#event-time-of-a-record` and `docs/semantics/records-and-formats.md`.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    computed_field,
    model_serializer,
    model_validator,
)

from jobs.base.durations import Duration, parse_duration
from jobs.base.names import is_name
from jobs.base.schemas import Schema, schema_from_json
from jobs.base.types import parse_type, type_text
from jobs.formats.record_formats import Encoding, JsonEncoding, KeyEncoding
from jobs.formats.source_paths import PathOfField, ReadField, SourcePath

MAX_FIELDS: Final = 500  # of a stream


def _duration_text(text: str) -> str:
    return str(parse_duration(text))


def _type_text(text: str) -> str:
    return type_text(parse_type(text))


def _field_name(text: str) -> str:
    if not is_name(text):
        raise ValueError(
            f"{text!r} isn't a valid field name: start with a letter; use letters, digits, _ (max 63)"
        )
    return text


DurationText = Annotated[str, AfterValidator(_duration_text)]
TypeText = Annotated[str, AfterValidator(_type_text)]


class FieldContract(BaseModel):
    """A declared field.

    Attributes:
        name: in jobs.
        type: a type's text form, such as ``decimal(10,2)``.
        nullable: False: a record without a value there is malformed.
        path: where the value is in the record: names of members and indexes of array elements; None: the
            member of the same name. Of CSV the name of a column; of a key's field where it is in the key.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, AfterValidator(_field_name)]
    type: TypeText
    nullable: bool = True
    path: PathOfField | None = None

    @model_validator(mode="before")
    @classmethod
    def _shortest_form(cls, given: Any) -> Any:
        """A path that says the field's own name says nothing."""
        if isinstance(given, dict):
            path = given.get("path")
            if isinstance(path, list | tuple) and list(path) == [given.get("name")]:
                return {**given, "path": None}
        return given

    @model_serializer(mode="wrap")
    def _without_nothing(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A field of its own name stays as short as it was before there were paths."""
        return {name: value for name, value in write(self).items() if name != "path" or value is not None}

    @property
    def read_from(self) -> SourcePath:
        """Where the value is in the record."""
        return self.path or (self.name,)


class TimeFormat(BaseModel):
    """How a value holds an instant.

    `unit` is for numbers, `format` (``iso`` or a pattern) for texts, neither for timestamps and dates. `zone`
    applies to texts without an offset and to dates.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: Literal["s", "ms", "us", "ns"] | None = None
    format: str | None = None
    zone: str = "UTC"


class TimeField(TimeFormat):
    """A declared field that holds an instant."""

    field: str


class EventTime(TimeFormat):
    """Where a record's event time comes from.

    `kind` kafka_timestamp is the timestamp of the Kafka record; change is when a change event says that the
    change was made (Debezium only); field reads `field` as unit, format and zone say. corrected takes the
    error of a device's clock out: `device` + (`received` − `sent`), where `device` and `sent` are read from
    that clock and `received` from one that is right; without `received`, the Kafka timestamp is used.
    """

    kind: Literal["kafka_timestamp", "field", "change", "corrected"] = "kafka_timestamp"
    field: str | None = None
    device: TimeField | None = None
    sent: TimeField | None = None
    received: TimeField | None = None
    on_missing: Literal["malformed", "kafka_timestamp"] = "malformed"

    @property
    def read_from(self) -> tuple[str, ...]:
        """Names of the declared fields without which there is no event time."""
        if self.kind == "field":
            return () if self.field is None else (self.field,)
        if self.kind == "corrected":
            return tuple(part.field for part in (self.device, self.sent, self.received) if part is not None)
        return ()


class StreamContract(BaseModel):
    """What every record of a stream or table must be.

    Attributes:
        kind: a table is the newest row per key of its topic; a null value deletes
            (`docs/semantics/records-and-formats.md#tables`).
        encoding: how a value's bytes hold the fields. A bare `format` beside the fields means that format's
            defaults.
        key: fields that are read from the record's key instead of its value; a table needs at least one.
        key_encoding: how the key's bytes hold them.
        version_by: which of two entries of a key is newer, for tables.
        delay: how far the watermark trails the greatest event time seen; None (tables only): the table takes
            no part in it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["stream", "table"] = "stream"
    encoding: Encoding = JsonEncoding()
    fields: Annotated[tuple[FieldContract, ...], Field(min_length=1, max_length=MAX_FIELDS)]
    key: Annotated[tuple[Annotated[str, AfterValidator(_field_name)], ...], Field(max_length=16)] = ()
    key_encoding: KeyEncoding = JsonEncoding()
    version_by: Literal["offset", "event_time"] = "offset"
    event_time: EventTime = EventTime()
    delay: DurationText | None = None
    max_ahead: DurationText | None = None

    @model_validator(mode="before")
    @classmethod
    def _older_and_shorter_forms(cls, given: Any) -> Any:
        """A bare `format` names the encoding; a stream that says no delay has the usual one."""
        if not isinstance(given, dict):
            return given
        read = dict(given)
        short = read.pop("format", None)
        if short is not None:
            encoding = read.setdefault("encoding", {"format": short})
            named = (
                encoding.get("format", "json")
                if isinstance(encoding, dict)
                else getattr(encoding, "format", None)
            )
            if named != short:
                raise ValueError(f"`format` is {short!r}, but `encoding` is {named!r}.")
        if read.get("kind", "stream") == "stream" and read.get("delay") is None:
            read["delay"] = "10s"
        return read

    @computed_field  # type: ignore[prop-decorator]  # pydantic's own way
    @property
    def format(self) -> str:
        """The name of the value's format."""
        return self.encoding.format

    @property
    def schema_of_rows(self) -> Schema:
        """The declared fields as a schema, without system fields;
        the key fields of a table are never null.
        """
        rows = [field.model_dump() for field in self.fields]
        if self.kind == "table":
            rows = [{**row, "nullable": row["nullable"] and row["name"] not in self.key} for row in rows]
        return schema_from_json(rows)

    @property
    def read_fields(self) -> tuple[ReadField, ...]:
        """The declared fields and where they are read from, in their order."""
        rows = zip(self.schema_of_rows, self.fields, strict=True)
        return tuple(
            ReadField(row.name, row.type, row.nullable, declared.read_from) for row, declared in rows
        )

    @property
    def delay_duration(self) -> Duration:
        """`delay` as an exact duration; zero for a table that takes no part in the watermark."""
        return parse_duration(self.delay or "0s")

    def as_json(self) -> dict[str, Any]:
        """The form of the API and of messages."""
        return self.model_dump(mode="json")
