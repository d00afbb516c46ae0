"""The parts of a job document besides its steps: sources, outputs, settings."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from jobs.formats.written_names import WrittenName, WrittenPath
from jobs.operators.output_fields import MAX_FIELDS
from jobs.operators.parameters import DurationText, NameText, Parameters

ONE_SOURCE: Final = "one_source"
MIN_CATCH_UP_FROM: Final = 5_000  # real-time mode has read fewer by the time another query is started
MIN_RATE_LIMIT: Final = 10  # records per second


class SourceRef(Parameters):
    """A registered stream (append-only) or table (the latest row by key) that the job reads.

    `delay` replaces the one of the contract for this job. A table takes part in the watermark only when it
    has one.
    """

    stream: NameText | None = None
    table: NameText | None = None
    delay: DurationText | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "SourceRef":
        if (self.stream is None) == (self.table is None):
            raise PydanticCustomError(ONE_SOURCE, "Set exactly one of stream and table.")
        return self

    @property
    def registered(self) -> str:
        """The registered name of the stream or table."""
        return self.stream or self.table or ""


class TopicTarget(Parameters):
    """A topic of the home cluster, by the name of its registered stream or by its own.

    `format` avro: rows are framed as Confluent's clients do it, by a schema that a start registers as
    ``<topic>-value``. `names` says how fields are called in the records where that is not their name in the
    job: a member's literal name, or a list of names that leads into objects, outermost first. Fields that it
    does not say keep their names.
    """

    topic: Annotated[NameText, Field(min_length=1)]
    format: Literal["json", "avro"] = "json"
    names: Annotated[dict[str, WrittenName], Field(max_length=MAX_FIELDS)] = Field(default_factory=dict)


def _target(value: Any) -> Any:
    """Accept ``result`` and mappings, which describe a topic; other values get an error that names both."""
    if isinstance(value, Mapping | TopicTarget) or value == "result":
        return value
    raise PydanticCustomError("output_target", "must be result or {topic: name}")


class OutputRef(Parameters):
    """Where the rows of a node go: `result` is the job's own keyed result, shown live;
    a topic gets the same rows, as JSON or Avro.
    """

    input: NameText
    to: Annotated[
        Annotated[Literal["result"], Tag("result")] | Annotated[TopicTarget, Tag("map")],
        Discriminator(lambda value: "result" if value == "result" else "map"),
        BeforeValidator(_target),
    ]

    @property
    def topic(self) -> str | None:
        """The topic's name as written; None for the result."""
        return self.to.topic if isinstance(self.to, TopicTarget) else None

    @property
    def format(self) -> Literal["json", "avro"]:
        """The format of record values."""
        return self.to.format if isinstance(self.to, TopicTarget) else "json"

    @property
    def names(self) -> Mapping[str, WrittenPath]:
        """The paths of fields that are not written as a member of their own name, by field."""
        return (
            {field: path for field, path in self.to.names.items() if path != (field,)}
            if isinstance(self.to, TopicTarget)
            else {}
        )


class Settings(Parameters):
    """How the job runs.

    `retention` is of windowed results; `commit_interval` of real-time mode; `trigger` of micro-batch.
    `catch_up_from`: a run in real-time mode that has so many records waiting, and would not read them within
    ten seconds at its pace, reads them in micro-batches and returns to real-time mode.
    `rate_limit`: records a second that are read of each stream at most, averaged over a trigger interval;
    only micro-batches have one, and each reads at least a record of each partition that has any.

    `watermark` is min (the slowest source decides) or max (the fastest; rows of slower ones are lost as
    late). With `contract_validation` the validators of its streams run while it runs, and the job decodes
    every declared field, so that it skips exactly the records that they keep as dead letters.
    """

    mode: Literal["auto", "realtime", "microbatch"] = "auto"
    engine: Literal["shared", "dedicated"] = "shared"
    retention: DurationText = "7d"
    commit_interval: DurationText = "30s"
    catch_up_from: Annotated[int, Field(ge=MIN_CATCH_UP_FROM, le=10**12)] = 50_000
    trigger: DurationText = "1s"
    rate_limit: Annotated[int, Field(ge=MIN_RATE_LIMIT, le=10**9)] | None = None
    watermark: Literal["min", "max"] = "min"
    contract_validation: bool = False
