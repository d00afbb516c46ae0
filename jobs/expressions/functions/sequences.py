"""Arrays of values that follow each other."""

from datetime import UTC, date, datetime
from typing import Final

from jobs.base.types import DATE, DURATION, INT, LONG, TIMESTAMP, Array
from jobs.expressions.functions.function import Function, LiteralParam, Nulls, Signature
from jobs.expressions.nodes import Literal, Tree

MAX_SEQUENCE: Final = 1_000


def _sequence_sql(first: str, last: str, step: str = "") -> str:
    """Without a step one up or down, so either is right; with one it must lead from the first to the last."""
    way = f"(CAST({last} AS DECIMAL(20,0)) - CAST({first} AS DECIMAL(20,0)))"
    steps = f"({way} / {step})" if step else f"abs({way})"
    return (
        f"CASE WHEN {steps} >= 0 AND {steps} < {MAX_SEQUENCE} THEN sequence({first}, "
        f"{last}{step and f', {step}'}) END"
    )


def _too_many(arguments: tuple[Tree, ...]) -> str | None:
    """Of literals it is known before."""
    values = [argument.value for argument in arguments if isinstance(argument, Literal)]
    numbers = [value for value in values if type(value) is int]
    if len(numbers) != len(arguments) or abs(numbers[1] - numbers[0]) < MAX_SEQUENCE * abs(
        numbers[2] if len(numbers) == 3 else 1
    ):
        return None
    return f"the result is limited to {MAX_SEQUENCE:,} values."


def _step_complaint(value: object) -> str | None:
    return (
        None
        if type(value) is int and value != 0 and abs(value) < 2**31
        else "must be an integer constant other than 0"
    )


_STEP: Final = LiteralParam(INT, _step_complaint, "step literal")
_SPAN: Final = LiteralParam(
    DURATION,
    lambda value: None if getattr(value, "us", 0) else "must be a duration constant other than 0",
    "duration literal",
)


def _f(name: str, doc: str, sql: str, *signatures: Signature, nulls: Nulls = Nulls.STRICT) -> Function:
    return Function(name=name, theme="array", doc=doc, nulls=nulls, sql=sql, signatures=signatures)


SEQUENCES: Final = (
    _f(
        "sequence",
        (
            "Values from the first to the second, inclusive, by a step; null, and counted, if there are "
            f"more than {MAX_SEQUENCE:,} or the step has the wrong sign."
        ),
        "",
        Signature(
            (INT, INT),
            Array(INT, False),
            (("sequence(1, 3)", [1, 2, 3]), ("sequence(3, 1)", [3, 2, 1])),
            _sequence_sql("{0}", "{1}"),
            check_arguments=_too_many,
        ),
        Signature(
            (LONG, LONG),
            Array(LONG, False),
            (("sequence(5000000000, 5000000001)", [5_000_000_000, 5_000_000_001]),),
            _sequence_sql("{0}", "{1}"),
            check_arguments=_too_many,
        ),
        Signature(
            (INT, INT, _STEP),
            Array(INT, False),
            (("sequence(1, 6, 2)", [1, 3, 5]),),
            _sequence_sql("{0}", "{1}", "{2}"),
            check_arguments=_too_many,
        ),
        Signature(
            (LONG, LONG, _STEP),
            Array(LONG, False),
            (("sequence(5000000000, 4999999998, -2)", [5_000_000_000, 4_999_999_998]),),
            _sequence_sql("{0}", "{1}", "{2}"),
            check_arguments=_too_many,
        ),
        Signature(
            (DATE, DATE),
            Array(DATE, False),
            (("sequence(date '2026-02-28', date '2026-03-01')", [date(2026, 2, 28), date(2026, 3, 1)]),),
            f"transform({_sequence_sql('unix_date({0})', 'unix_date({1})')}, _x -> date_from_unix_date(_x))",
        ),
        Signature(
            (TIMESTAMP, TIMESTAMP, _SPAN),
            Array(TIMESTAMP, False),
            (
                (
                    (
                        "sequence(timestamp '2026-03-01T00:00:00Z', timestamp '2026-03-01T00:40:00Z', "
                        "duration('30m'))"
                    ),
                    [datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 1, 0, 30, tzinfo=UTC)],
                ),
            ),
            f"transform({_sequence_sql('unix_micros({0})', 'unix_micros({1})', '{2}')}, _x -> "
            "timestamp_micros(_x))",
        ),
        nulls=Nulls.ERROR,
    ),
)
