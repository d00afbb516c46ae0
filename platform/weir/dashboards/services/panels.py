"""The panels of a dashboard document: one model per kind, so that a member of another kind is unknown.

No Django and no database: what a panel says is checked here, whether its job exists in `references.py`.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

COLUMNS: Final = 12
MAX_ROW: Final = 1_000
MAX_PANEL_ROWS: Final = 40
MAX_SERIES_FIELDS: Final = 3
MAX_THRESHOLDS: Final = 5
MAX_TABLE_COLUMNS: Final = 12

FieldName = Annotated[str, Field(min_length=1, max_length=100)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
JobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,20}$")]
Text = Annotated[str, Field(max_length=100)]
FilterValue = Annotated[str, Field(max_length=200)] | bool | int | float
Aggregation = Literal["last", "sum", "avg", "min", "max", "count"]
Number = Annotated[float, Field(allow_inf_nan=False)]


class Part(BaseModel):
    """A part of a dashboard document: unknown members are refused, values are not converted."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_serialization_defaults_required=True
    )


class Position(Part):
    """Where a panel is, in cells of a grid with 12 columns."""

    x: Annotated[int, Field(ge=0, le=COLUMNS - 1)]
    y: Annotated[int, Field(ge=0, le=MAX_ROW)]
    w: Annotated[int, Field(ge=1, le=COLUMNS)]
    h: Annotated[int, Field(ge=1, le=MAX_PANEL_ROWS)]

    @model_validator(mode="after")
    def _inside(self) -> "Position":
        if self.x + self.w > COLUMNS:
            raise ValueError(f"x + w must be {COLUMNS} or less")
        return self


class FieldFilter(Part):
    """Rows whose field equals one of the values. A row without the field does not match."""

    field: FieldName
    values: Annotated[list[FilterValue], Field(min_length=1, max_length=50)]


class Threshold(Part):
    """From this value on, a number has this tone."""

    value: Number
    tone: Literal["good", "warn", "bad"]


def _ascending(thresholds: list[Threshold]) -> list[Threshold]:
    values = [threshold.value for threshold in thresholds]
    if sorted(set(values)) != values:
        raise ValueError("values must be ascending, each once")
    return thresholds


Thresholds = Annotated[list[Threshold], Field(max_length=MAX_THRESHOLDS), AfterValidator(_ascending)]
Filters = Annotated[list[FieldFilter], Field(max_length=10)]
KeyFields = Annotated[list[FieldName], Field(max_length=MAX_SERIES_FIELDS)]
LabelFields = Annotated[list[FieldName], Field(min_length=1, max_length=MAX_SERIES_FIELDS)]
Limit = Annotated[int, Field(ge=1, le=50)]


TableLimit = Annotated[int, Field(ge=1, le=100)]
_FIELDS: Final = (
    "x",
    "y",
    "series",
    "value",
    "label",
    "state",
    "longitude",
    "latitude",
    "columns",
    "order_by",
)
"""Members of panels that name fields of the result."""


class _Panel(Part):
    """What every panel has: `output` is the output of the job that is its live result."""

    id: Id
    title: Text
    job: JobId
    output: FieldName
    position: Position
    filters: Filters = []

    def fields(self) -> dict[tuple[str, ...], str]:
        """The fields of the result that the panel reads, by their path in the panel."""
        found: dict[tuple[str, ...], str] = {
            ("filters", str(at), "field"): one.field for at, one in enumerate(self.filters)
        }
        for name in _FIELDS:
            found |= _paths(name, getattr(self, name, None))
        return found


def _paths(name: str, value: Any) -> dict[tuple[str, ...], str]:
    if isinstance(value, str):
        return {(name,): value}
    return {(name, str(at)): one for at, one in enumerate(value or ())}


class _Measured(_Panel):
    """A panel of numbers."""

    unit: Annotated[str, Field(max_length=20)] = ""
    thresholds: Thresholds = []


class TimeSeriesPanel(_Measured):
    """Values over time: a line, area or bars for each value of the series fields and each field of `y`.

    Rows of one series at one instant are put together by `aggregation`.
    """

    kind: Literal["line", "area", "bar"]
    x: FieldName
    y: Annotated[list[FieldName], Field(min_length=1, max_length=4)]
    series: KeyFields = []
    aggregation: Aggregation


class NumberPanel(_Measured):
    """One number. With `x`, rows of the newest closed instant, and the change since the one before."""

    kind: Literal["number"]
    value: FieldName
    x: FieldName | None = None
    aggregation: Aggregation


class TopListPanel(_Measured):
    """The keys with the largest values."""

    kind: Literal["top_list"]
    label: LabelFields
    value: FieldName
    x: FieldName | None = None
    aggregation: Aggregation
    limit: Limit = 10


class StateTimelinePanel(_Panel):
    """A lane for each value of the series fields, with the value of `state` over time."""

    kind: Literal["state_timeline"]
    x: FieldName
    state: FieldName
    series: KeyFields = []


class MapPanel(_Measured):
    """A point for each row with coordinates in degrees; `value`, if any, gives its size."""

    kind: Literal["map"]
    longitude: FieldName
    latitude: FieldName
    label: KeyFields = []
    value: FieldName | None = None


class TablePanel(_Measured):
    """Rows as they are, ordered by a field; null: the newest first. Unit and thresholds are those of the
    column `value`, if any.
    """

    kind: Literal["table"]
    columns: Annotated[list[FieldName], Field(min_length=1, max_length=MAX_TABLE_COLUMNS)]
    order_by: FieldName | None = None
    descending: bool = True
    value: FieldName | None = None
    limit: TableLimit = 20


Panel = TimeSeriesPanel | NumberPanel | TopListPanel | StateTimelinePanel | MapPanel | TablePanel
