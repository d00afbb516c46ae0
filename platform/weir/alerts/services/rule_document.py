"""The rule document: what is watched, when that is an alert, and when it is over. Checked strictly, all
problems at once.

No Django and no database: what a rule says is checked here, whether its job and fields exist in
`rule_check.py`.
"""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from jobs.base.durations import DurationTextError, parse_duration
from jobs.base.problems import Problem, problem
from weir.alerts.services.metrics import BY_NAME
from weir.workspaces.errors import ServiceError

MAX_BYTES: Final = 16 * 1024
MAX_FOR_US: Final = 7 * 24 * 3_600_000_000
MAX_CHANNELS: Final = 20
_KINDS: Final = ("metric", "rows")


def _duration(text: str) -> str:
    try:
        span = parse_duration(text)
    except DurationTextError as error:
        raise ValueError(str(error)) from error
    if not 0 <= span.us <= MAX_FOR_US:
        raise ValueError("must be from 0s to 7d")
    return text


def _known_metric(name: str) -> str:
    if name not in BY_NAME:
        raise ValueError("is not a metric that rules can watch")
    return name


DurationText = Annotated[str, Field(max_length=40), AfterValidator(_duration)]
Number = Annotated[float, Field(allow_inf_nan=False)]
JobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,20}$")]
ExpressionText = Annotated[str, Field(min_length=1, max_length=2_000)]
GroupName = Annotated[str, Field(min_length=1, max_length=255)]
FieldName = Annotated[str, Field(min_length=1, max_length=100)]


class Part(BaseModel):
    """A part of a rule document: unknown members are refused, values are not converted."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_serialization_defaults_required=True
    )


class MetricWatch(Part):
    """A metric of the table (`metrics.py`), compared with a number.

    Attributes:
        metric: its name.
        job: only of this job; None: of everything in the workspace that has the metric.
        group: only of consumer groups of this name; None: as above.
        above: the condition holds above this value; exactly one of `above` and `below` is given.
        below: the condition holds below it.
        recovers_at: the condition is over only when the value has come back to this; None: to the threshold.
    """

    kind: Literal["metric"]
    metric: Annotated[str, Field(max_length=60), AfterValidator(_known_metric)]
    job: JobId | None = None
    group: GroupName | None = None
    above: Number | None = None
    below: Number | None = None
    recovers_at: Number | None = None


class RowWatch(Part):
    """A condition over each row of a job's live result.

    Attributes:
        job: whose result.
        where: the condition, an expression of the job language.
        by: fields whose values tell alerts apart; None: the row's identity without its window.
        recovers_where: the condition is over only when this holds for a row; None: when `where` does not.
        quiet: it is over, too, when no row met the condition for so long; None: only a row ends it.
    """

    kind: Literal["rows"]
    job: JobId
    where: ExpressionText
    by: Annotated[list[FieldName], Field(max_length=5)] | None = None
    recovers_where: ExpressionText | None = None
    quiet: DurationText | None = None


class RuleDocument(Part):
    """A rule.

    Attributes:
        format: of this document; 1.
        watch: what is watched.
        hold: how long the condition has to hold before the alert fires (*for*).
        severity: of its alerts.
        channels: ids; empty: every channel that takes the severity.
    """

    format: Literal[1] = 1
    watch: Annotated[MetricWatch | RowWatch, Field(discriminator="kind")]
    hold: DurationText = "0s"
    severity: Literal["info", "warning", "critical"] = "warning"
    channels: Annotated[
        list[Annotated[str, Field(pattern=r"^[a-z0-9]{1,20}$")]], Field(max_length=MAX_CHANNELS)
    ] = []

    def as_json(self) -> dict[str, Any]:
        """The document with all its members, as it is stored."""
        return self.model_dump(mode="json")

    @property
    def hold_us(self) -> int:
        """`hold` in µs."""
        return parse_duration(self.hold).us


UNREADABLE: Final = "This version of Weir can't read the rule. Edit it and save it again."


def find_document(stored: Any) -> RuleDocument | None:
    """The document of a stored rule; None: it can't be read, as one that an older version of Weir has
    saved.
    """
    try:
        return RuleDocument.model_validate(stored)
    except ValidationError:
        return None


def parse_rule(value: Any) -> RuleDocument:
    """The document of a request.

    Args:
        value: parsed JSON.

    Raises:
        ServiceError: RULE_INVALID with all problems, each with its path and what to do; RULE_TOO_LARGE above
            16 KiB.
    """
    text = json.dumps(value)
    if len(text) > MAX_BYTES:
        raise ServiceError("RULE_TOO_LARGE", f"A rule has at most {MAX_BYTES:,} bytes. Shorten it.")
    try:
        document = RuleDocument.model_validate_json(text)
    except ValidationError as error:
        raise invalid(
            [_problem(one) for one in error.errors(include_url=False, include_input=False)]
        ) from error
    found = _comparison_problems(document)
    if found:
        raise invalid(found)
    return document


def invalid(problems: list[Problem]) -> ServiceError:
    """The error of a document with these problems."""
    first = problems[0]
    count = f"{len(problems)} problems; the first: " if len(problems) > 1 else ""
    return ServiceError(
        "RULE_INVALID",
        f"{count}{'.'.join(first.path)}: {first.message} {first.hint}".strip(),
        tuple(problems),
    )


def _comparison_problems(document: RuleDocument) -> list[Problem]:
    watch = document.watch
    if not isinstance(watch, MetricWatch):
        return []
    if (watch.above is None) == (watch.below is None):
        return [
            problem(
                "PARAMETER_RANGE",
                ("watch", "above"),
                "Give either above or below.",
                "Remove one, or add one.",
            )
        ]
    if watch.recovers_at is None:
        return []
    if (watch.above is not None and watch.recovers_at > watch.above) or (
        watch.below is not None and watch.recovers_at < watch.below
    ):
        return [
            problem(
                "PARAMETER_RANGE",
                ("watch", "recovers_at"),
                "The alert would be over while its condition still holds.",
                "Choose a value on the other side of the threshold.",
            )
        ]
    return []


def _problem(found: Any) -> Problem:
    # Pydantic puts the kind of the watch into the path, between `watch` and its member.
    path = tuple(str(part) for at, part in enumerate(found["loc"]) if not (at == 1 and part in _KINDS))
    kind: str = found["type"]
    if kind == "extra_forbidden":
        return problem("PARAMETER_RANGE", path, f"{path[-1]!r} is not a member of a rule.", "Remove it.")
    if kind == "missing":
        return problem("PARAMETER_MISSING", path, "Required.", f"Add {path[-1]}.")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return problem(
            "PARAMETER_RANGE", (*path, "kind"), "Not a kind of watch.", f"Use {' or '.join(_KINDS)}."
        )
    return problem(
        "PARAMETER_RANGE", path, f"{str(found['msg']).removeprefix('Value error, ')}.", "Change the value."
    )
