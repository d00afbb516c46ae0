"""The record formats: how the bytes of a record's value or key hold its fields.

One model per format, told apart by `format`; `Encoding` is the list for values, `KeyEncoding` for keys.
"""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

MAX_SCHEMA_CHARS: Final = 256 * 1024
MAX_WRITERS: Final = 1_000  # schemas beside a stream's own

SchemaText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_SCHEMA_CHARS)]
Subject = Annotated[str, StringConstraints(min_length=1, max_length=255)]
OneCharacter = Annotated[str, StringConstraints(min_length=1, max_length=1)]


class _Encoding(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class JsonEncoding(_Encoding):
    """A JSON object; `framing` confluent: a magic byte and a schema id stand before it.

    As a key encoding also a list of the key fields in their order, or, with one key field, its bare value.

    Attributes:
        json_schema: a JSON Schema that every value must fit, as text (`schema` outside); only of values.
        subject: the registry's subject whose newest version is meant; the platform writes its text into
            `json_schema`.
        schema_id: the id of that version, which stands before records that the platform writes itself.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    format: Literal["json"] = "json"
    framing: Literal["none", "confluent"] = "none"
    json_schema: SchemaText | None = Field(default=None, alias="schema")
    subject: Subject | None = None
    schema_id: Annotated[int, Field(ge=1, lt=2**31)] | None = None

    @model_serializer(mode="wrap")
    def _without_nothing(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A plain JSON encoding stays as short as it was before there were schemas."""
        return {name: value for name, value in write(self).items() if value is not None}


class AvroEncoding(_Encoding):
    """An Avro binary record.

    Attributes:
        avro_schema: what readers see, as text (`schema` outside); of records without framing also what wrote
            them.
        subject: the registry's subject whose newest version is meant; the platform writes its text into
            `avro_schema`.
        framing: confluent: a magic byte and the id of the writer's schema stand before each record.
        writers: schemas of writers by id, as far as they are known when a job starts; others are looked up as
            they appear.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    format: Literal["avro"] = "avro"
    avro_schema: SchemaText | None = Field(default=None, alias="schema")
    subject: Subject | None = None
    framing: Literal["none", "confluent"] = "none"
    writers: dict[int, SchemaText] = Field(default_factory=dict, max_length=MAX_WRITERS)

    @model_validator(mode="after")
    def _says_its_schema(self) -> "AvroEncoding":
        if self.avro_schema is None and self.subject is None:
            raise ValueError(
                "Avro needs `schema` (the schema itself) or `subject` (its name in the registry)."
            )
        return self


class CsvEncoding(_Encoding):
    """One line of separated values, in the order of `columns` (default: of the contract's fields).

    Attributes:
        quote: around values that hold the delimiter, a line break or itself (then doubled).
        null_text: the unquoted text that means null.
        trim: blanks around unquoted values are left out.
        columns: names in the order of the line; those that are no declared field are left out.
    """

    format: Literal["csv"] = "csv"
    delimiter: OneCharacter = ","
    quote: OneCharacter = '"'
    null_text: Annotated[str, StringConstraints(max_length=20)] = ""
    trim: bool = False
    columns: Annotated[tuple[str, ...], Field(max_length=2000)] | None = None

    @model_validator(mode="after")
    def _signs_differ(self) -> "CsvEncoding":
        if self.delimiter == self.quote or {self.delimiter, self.quote} & set("\r\n\x00"):
            raise ValueError("Delimiter and quote must differ and can't be a line break or NUL.")
        return self


class TextEncoding(_Encoding):
    """The whole value is one text, of the one declared field
    (a key: of the one key field, read by its type).
    """

    format: Literal["text"] = "text"


class DebeziumEncoding(_Encoding):
    """A change event of Debezium: `before`, `after`, `op`, `source`, `ts_ms`, with or without its schema
    beside it.

    A table reads it as changes; a stream as append-only rows: the row after each change, without deletions.

    Attributes:
        inner: how the event itself is written; of Avro the schema is that of the whole envelope.
        time_unit: in which timestamps count that are whole numbers; dates count days. By default a connector
            writes columns of up to three digits in ms and others in us (``time.precision.mode``): those of
            the other unit are declared as long, and converted in a step. Decimals of JSON must be texts: the
            connector's ``decimal.handling.mode=string``.
    """

    format: Literal["debezium"] = "debezium"
    time_unit: Literal["ms", "us", "ns"] = "us"
    inner: Annotated[JsonEncoding | AvroEncoding, Field(discriminator="format")] = JsonEncoding()


Encoding = Annotated[
    JsonEncoding | AvroEncoding | CsvEncoding | TextEncoding | DebeziumEncoding, Field(discriminator="format")
]
KeyEncoding = Annotated[JsonEncoding | AvroEncoding | TextEncoding, Field(discriminator="format")]
VALUE_FORMATS: Final = tuple(
    str(kind.model_fields["format"].default) for kind in get_args(get_args(Encoding)[0])
)
