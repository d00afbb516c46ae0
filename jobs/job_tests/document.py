"""The test document: records in batches, a clock moved by hand, and what must come out
(`docs/reference/job-tests.md`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jobs.base.problems import Problem, has_errors, problem
from jobs.document_errors import as_problem, unstorable
from jobs.document_text import read_text

MAX_BATCHES: Final = 100
MAX_RECORDS: Final = 2_000  # of all batches and sources
MAX_EXPECTED: Final = 1_000  # rows of all expectations
MAX_PROBLEMS: Final = 200
TOLERANCE: Final = 1e-9

Name = Annotated[str, Field(min_length=1, max_length=130)]
TimeText = Annotated[str, Field(min_length=1, max_length=64)]
Count = Annotated[int, Field(ge=0)]
ExpectedRow = dict[str, Any]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SentRecord(_Part):
    """A record that a source gets.

    Attributes:
        at: its event time, as an instant or a duration after the test's start; None: what the field says that
            the contract reads it from, or the clock's time, which is written into that field where `values`
            does not have it.
        arrives: its Kafka timestamp; None: its event time, or the clock's time where that is later.
        values: the declared fields; those left out are null. Of a table, the row that its key gets.
        delete: the key of a table's row that is deleted.
        key, value: instead of `values`, the record's texts as they are in Kafka; null: no key, no value.
        base64: key and value are base64 of their bytes.
    """

    at: TimeText | None = None
    arrives: TimeText | None = None
    values: dict[str, Any] | None = None
    delete: dict[str, Any] | None = None
    key: str | None = None
    value: str | None = None
    base64: bool = False

    @property
    def forms(self) -> list[str]:
        """Which of the three ways to say a record it uses: ``values``, ``delete``, ``value``."""
        raw = ["value"] if self.model_fields_set & {"key", "value"} else []
        return [name for name in ("values", "delete") if getattr(self, name) is not None] + raw


class ExpectedRows(_Part):
    """What must come out of one output or step. A field that a row leaves out is not compared.

    Attributes:
        rows: exactly these, in any order; None: others are not looked at.
        contains: at least these.
        absent: no row may be like one of these.
        strict: a row may have no other fields than those that are expected.
    """

    rows: list[ExpectedRow] | None = None
    contains: list[ExpectedRow] = []
    absent: list[ExpectedRow] = []
    strict: bool = False

    @property
    def size(self) -> int:
        """How many rows are named."""
        return len(self.rows or []) + len(self.contains) + len(self.absent)


class Expectation(_Part):
    """What one batch gives, or what there is at the end.

    Attributes:
        outputs: by name of an output.
        steps: by name of a source or step, or ``step.port``.
        late: how many rows were dropped as late. Spark counts them after it has grouped them: any count from
            one up to the expected one passes, except that 0 means none.
        late_by_step: the same of single steps.
        malformed: by source, how many records were no rows.
        errors: by step, in how many rows an error became null.
        keyless: by step, how many rows were left out because their key has a null.
    """

    outputs: dict[Name, ExpectedRows] = {}
    steps: dict[Name, ExpectedRows] = {}
    late: Count | None = None
    late_by_step: dict[Name, Count] = {}
    malformed: dict[Name, Count] = {}
    errors: dict[Name, Count] = {}
    keyless: dict[Name, Count] = {}

    @property
    def is_empty(self) -> bool:
        """True when it says nothing."""
        return self == Expectation()


class BatchStep(_Part):
    """One batch. Its parts happen in the order in which they stand here.

    Attributes:
        restart: before it the job is stopped and resumed (clean), or its process dies after the rows of the
            batch before were written and before that was committed (crash).
        silent: from now on these sources send nothing by themselves when time passes; [] ends it.
        advance: time passes: every stream that isn't silent goes on, as a heartbeat record says.
        heartbeats: by source, a heartbeat record with this time.
        records: by source, in order of arrival.
        expect: what this batch gives.
    """

    restart: Literal["clean", "crash"] | None = None
    silent: list[Name] | None = None
    advance: TimeText | None = None
    heartbeats: dict[Name, TimeText] = {}
    records: dict[Name, list[SentRecord]] = {}
    expect: Expectation = Expectation()


class JobTest(_Part):
    """A test of a job.

    Attributes:
        name: unique among the tests of a job.
        start: the instant from which durations count, and where the clock begins.
        tolerance: by which fraction doubles may differ from what is expected.
        batches: in order; each is one batch of the job's queries.
        expect: what there is after the last batch.
    """

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
    description: Annotated[str, Field(max_length=4_000)] = ""
    start: TimeText = "2026-01-01T00:00:00Z"
    tolerance: Annotated[float, Field(ge=0, le=1, strict=False)] = TOLERANCE
    batches: Annotated[list[BatchStep], Field(min_length=1, max_length=MAX_BATCHES)]
    expect: Expectation = Expectation()

    def as_json(self) -> dict[str, Any]:
        """The JSON form; what the document leaves out stays left out."""
        return self.model_dump(mode="json", exclude_unset=True)

    @property
    def expectations(self) -> list[tuple[tuple[str, ...], Expectation]]:
        """All that is expected, with where it stands."""
        batches = [
            (("batches", str(number), "expect"), batch.expect) for number, batch in enumerate(self.batches)
        ]
        return [*batches, (("expect",), self.expect)]


@dataclass(frozen=True)
class ParsedTest:
    """A test document as far as it can be read.

    Attributes:
        test: None where its form has an error.
        problems: of its form, with places.
        value: its plain values; None where the text is no YAML.
    """

    test: JobTest | None
    problems: tuple[Problem, ...]
    value: Any = None


def parse_test(document: str | Mapping[str, Any]) -> ParsedTest:
    """Parse a test from YAML or JSON text, or from plain values. Never raises."""
    value: Any = document
    problems: list[Problem] = []
    if isinstance(document, str):
        text = read_text(document)
        value, problems = text.value, list(text.problems)
        if has_errors(problems):
            return ParsedTest(None, tuple(problems), value)
    if not isinstance(value, Mapping):
        return ParsedTest(
            None,
            (problem("PARAMETER_RANGE", (), "A test must be a mapping with format, name and batches."),),
            value,
        )
    try:
        test = JobTest.model_validate(dict(value))
    except ValidationError as error:
        details = error.errors(include_url=False)[:MAX_PROBLEMS]
        problems += [as_problem(detail, (), JobTest) for detail in details]
        return ParsedTest(None, tuple(problems), value)
    problems += [*_size_problems(test), *_not_finite(value, ()), *unstorable(value)]
    return ParsedTest(None if has_errors(problems) else test, tuple(problems), value)


def document_json_schema() -> dict[str, Any]:
    """JSON Schema of the test document, for editors."""
    return JobTest.model_json_schema(by_alias=True)


def _not_finite(value: Any, path: tuple[str, ...]) -> list[Problem]:
    """Numbers too large for a double: they would be infinite, which JSON cannot hold."""
    if isinstance(value, Mapping):
        return [found for name, part in value.items() for found in _not_finite(part, (*path, str(name)))]
    if isinstance(value, list):
        return [found for at, part in enumerate(value) for found in _not_finite(part, (*path, str(at)))]
    if isinstance(value, float) and not math.isfinite(value):
        return [
            problem("PARAMETER_RANGE", path, "The number is too large.", 'Infinity is the text "Infinity".')
        ]
    return []


def _size_problems(test: JobTest) -> list[Problem]:
    found: list[Problem] = []
    records = sum(len(sent) for batch in test.batches for sent in batch.records.values())
    if records > MAX_RECORDS:
        found.append(
            problem(
                "PARAMETER_RANGE",
                ("batches",),
                f"The test has {records:,} records; the limit is {MAX_RECORDS:,}.",
                "Keep the records that show the rule; a test is no load.",
            )
        )
    rows = sum(
        named.size
        for _, expect in test.expectations
        for named in (*expect.outputs.values(), *expect.steps.values())
    )
    if rows > MAX_EXPECTED:
        found.append(
            problem(
                "PARAMETER_RANGE",
                ("expect",),
                f"The test expects {rows:,} rows; the limit is {MAX_EXPECTED:,}.",
                "Expect the rows that matter with contains.",
            )
        )
    return found
