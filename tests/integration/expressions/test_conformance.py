"""The function table and the type rules against Spark itself.

Same types, same values, null where the table says so.
"""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import StructField

from jobs.base.schemas import Field, Schema, schema_from_json
from jobs.base.types import DATE, STRING, TIMESTAMP, Array, DataType, Decimal, Map, type_text
from jobs.expressions import FUNCTIONS, Expression, check_expression, schema_sql
from jobs.expressions.bind import bind
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions.function import Function, LambdaParam, LiteralParam, Nulls, Signature
from jobs.expressions.interpreter import compile_tree
from jobs.expressions.parse import parse_tokens, tokens_of
from tests.support.exact_json import exact_json

pytestmark = [pytest.mark.integration, pytest.mark.thorough]

VALUES = json.loads((Path(__file__).parent / "values.json").read_text(encoding="utf-8"))
EMPTY = Schema(())
LOOSER_IN_SPARK = {
    "Spark calls real functions nullable, whose values beside numbers are NaN and infinities": (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "cot", "degrees", "exp",
        "expm1", "radians", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
    ),
    "rounding a decimal, whose wider result always holds it": (
        "bround", "ceil", "floor", "round", "truncate",
    ),
    "a condition or a literal of the rendered SQL that Spark does not analyse": (
        "is_nan", "microsecond", "millisecond", "right", "split_part", "to_seconds", "format_string",
        "position",
    ),
    "a unit, width or format that Spark takes for a value, and here is a checked literal": (
        "date_trunc", "format_number", "sha2",
    ),
    "Spark only says so": ("map_contains_key", "mask", "to_json", "url_encode"),
}  # fmt: skip
"""Why Spark calls functions nullable although only their arguments can make them null (tests with nulls
and edge values prove it)."""

NOT_NULL_BESIDE_NULL = frozenset((("nanvl(1.5e0, 0)", 1), ("nullif(1, 1)", 1), ("nullif(1, 2)", 1)))
"""Functions with their own null rule: example and position (from 0) of an argument that may be null alone."""

EDGES: dict[str, tuple[str, ...]] = {
    "int": ("0", "-1", "-2147483648", "2147483647"),
    "long": ("0L", "-1L", "-9223372036854775808L", "9223372036854775807L"),
    "double": (
        "0D",
        "-0.0D",
        "double('NaN')",
        "double('Infinity')",
        "double('-Infinity')",
        "1.7976931348623157E308D",
        "4.9E-324D",
        "9223372036854775807D",  # 2^63
    ),
    "string": ("''", "' '", "'%'", "'\\\\'", "'\U0001f600é'", "'x[1]{'", "repeat('ab', 5000)"),
    "boolean": ("TRUE", "FALSE"),
    "bytes": ("X''", "X'FF'"),
    "timestamp": (
        "TIMESTAMP '0001-01-01T00:00:00Z'",
        "TIMESTAMP '1969-12-31T23:59:59.999999Z'",
        "TIMESTAMP '9999-12-31T23:59:59.999999Z'",
    ),
    "date": ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '2024-02-29'"),
    "duration": ("0L", "-1L", "9223372036854775807L"),
}
"""Values of each type that functions are most likely to stumble over, as Spark SQL."""
BEYOND = "beyond the years 1 to 9999"
MOST_EDGES = max(map(len, EDGES.values()))
MOST_ARGUMENTS = 8


def edges(kind: DataType) -> tuple[str, ...]:
    match kind:
        case Decimal(precision, scale):
            largest = "9" * (precision - scale) + "." + "9" * scale
            return tuple(
                f"CAST({text} AS {schema_sql(kind)})" for text in ("0BD", f"{largest}BD", f"-{largest}BD")
            )
        case Array():
            return (f"CAST(array() AS {schema_sql(kind)})",)
        case Map():
            return (f"CAST(map() AS {schema_sql(kind)})",)
        case _:
            return EDGES.get(type_text(kind), ())


def checked(text: str, schema: Schema) -> Expression:
    expression, problems = check_expression(text, schema, ("test",))
    assert expression is not None, (text, problems)
    return expression


def collected(frame: DataFrame, expressions: list[Expression]) -> list[tuple[str, bool, Any, bool]]:
    """Spark's type text, nullability, value and failure flag of each expression, in one query."""
    columns = []
    for position, expression in enumerate(expressions):
        columns += [
            f"{expression.sql} AS v{position}",
            f"({' OR '.join(expression.failures) or 'FALSE'}) AS f{position}",
        ]
    selected = frame.selectExpr(*columns)
    row, fields = selected.collect()[0], selected.schema.fields
    return [
        (fields[2 * i].dataType.simpleString().upper(), fields[2 * i].nullable, row[2 * i], row[2 * i + 1])
        for i in range(len(expressions))
    ]


@pytest.fixture(scope="module")
def one_row(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """The fields of values.json, written and read back so that nothing is folded before it runs."""
    types = {field["name"]: schema_from_json([field]).fields[0].type for field in VALUES["fields"]}
    columns = [
        f"CAST({field['sql']} AS {schema_sql(types[field['name']])}) AS `{field['name']}`"
        for field in VALUES["fields"]
    ]
    path = str(tmp_path_factory.mktemp("values") / "row")
    spark.range(1).selectExpr(*columns).write.parquet(path)
    return spark.read.parquet(path)


def test_operators_and_casts_give_spark_the_values_of_the_semantics(one_row: DataFrame) -> None:
    schema = schema_from_json(VALUES["fields"])
    expressions = [checked(text, schema) for text, *_ in VALUES["cases"]]
    wrong = []
    for (text, wanted_type, value, fails), expression, got in zip(
        VALUES["cases"], expressions, collected(one_row, expressions), strict=True
    ):
        spark_type, _, spark_value, failed = got
        seen = (
            type_text(expression.type),
            exact_json(spark_value),
            failed,
            plain(spark_type) == plain(schema_sql(expression.type)),
        )
        if seen != (wanted_type, value, fails, True) or (spark_value is None and not expression.nullable):
            wrong.append((text, seen, (wanted_type, value, fails)))
    assert not wrong


@dataclass(frozen=True)
class Sample:
    """An example of one form, as written and with every free argument put into a field."""

    function: Function
    form: Signature
    text: str
    value: object
    literal: Expression
    columns: dict[str, Expression]
    over_columns: str


def arguments_of(call: str) -> list[str]:
    """The arguments of a call, as written."""
    inside = call[call.index("(") + 1 : -1]
    parts, depth, quoted = [""], 0, False
    for sign in inside:
        quoted ^= sign == "'"
        depth += 0 if quoted else (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def samples() -> list[Sample]:
    found: list[Sample] = []
    for function in FUNCTIONS.values():
        for form in function.signatures:
            for text, value in form.examples:
                arguments = arguments_of(text)
                columns: dict[str, Expression] = {}
                for position, parameter in enumerate(form.spread(len(arguments)) or ()):
                    if isinstance(parameter, LiteralParam | LambdaParam) or arguments[position].startswith(
                        ("null", "cast(null")
                    ):
                        continue
                    name = f"c{len(found)}_{position}"
                    columns[name] = checked(arguments[position], EMPTY)
                    arguments[position] = name
                found.append(
                    Sample(
                        function,
                        form,
                        text,
                        value,
                        checked(text, EMPTY),
                        columns,
                        f"{function.name}({', '.join(arguments)})",
                    )
                )
    return found


@dataclass(frozen=True)
class Trial:
    """A sample over fields, and what Spark gave.

    Attributes:
        nullable: of the expression over fields that are never null.
        spark_type: of the example as written.
        spark_nullable: of the example as written, in Spark's analysis.
        written: value as written.
        over: (value, failed) over fields.
        empty: the same with every field null.
        alone: the same with only the field of one argument null, by its position.
        edge: the same with the field of one argument at an edge of its type, and what it was.
        rows: the fields of `over` and of each of `edge`, for the same in Python.
    """

    sample: Sample
    expression: Expression
    nullable: bool
    spark_type: str
    spark_nullable: bool
    written: Any
    over: tuple[Any, bool]
    empty: tuple[Any, bool]
    alone: dict[int, tuple[Any, bool]]
    edge: list[tuple[str, Any, bool]]
    rows: list[dict[str, Any]]

    @property
    def nulls(self) -> Nulls:
        """Of the call over fields."""
        own = self.sample.form.nulls
        return Nulls.ERROR if callable(own) else own or self.sample.function.nulls

    @property
    def may_fail(self) -> bool:
        """The form itself, or the lambda of the example."""
        return self.nulls is Nulls.ERROR or self.sample.function.theme == "lambda"


AS_NUMBER = {TIMESTAMP: "unix_micros({})", DATE: "unix_date({})"}
"""SQL that converts values which Python cannot hold to numbers, by type."""


def in_years(value: Any, kind: DataType) -> Any:
    """A timestamp or date of the years 1 to 9999; anything else as it is."""
    if value is None or kind not in AS_NUMBER:
        return value
    try:
        return (
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
            if kind == TIMESTAMP
            else date(1970, 1, 1) + timedelta(value)
        )
    except OverflowError:
        return BEYOND


def as_row_value(value: Any, kind: DataType) -> Any:
    """As `jobs.formats.records.Row` holds it."""
    match in_years(value, kind):
        case Row() as struct:
            return {name: as_row_value(part, STRING) for name, part in struct.asDict().items()}
        case list() as parts:
            return [as_row_value(part, STRING) for part in parts]
        case bytearray() as octets:
            return bytes(octets)
        case other:
            return other


def position_of(name: str) -> int:
    return int(name.rpartition("_")[2])


def edge_row(position: int, number: int) -> int:
    return 2 + MOST_ARGUMENTS + position * MOST_EDGES + number


def column_sql(name: str, expression: Expression) -> str:
    """Row 0: the example's argument. Row 1: all null.

    Then one row per argument alone null, and per edge value.
    """
    position, sql = position_of(name), schema_sql(expression.type)
    at_edges = "".join(
        f" WHEN {edge_row(position, n)} THEN {text}" for n, text in enumerate(edges(expression.type))
    )
    cases = f"WHEN 1 THEN NULL WHEN {2 + position} THEN NULL{at_edges} ELSE {expression.sql}"
    return f"CAST(CASE id {cases} END AS {sql}) AS `{name}`"


@pytest.fixture(scope="module")
def forms(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    """Every example of every form in one query.

    Fields come from a file, so that nothing is constant-folded.
    """
    all_samples = samples()
    fields = [(name, expression) for sample in all_samples for name, expression in sample.columns.items()]
    path = str(tmp_path_factory.mktemp("forms") / "rows")
    rows = spark.range(edge_row(MOST_ARGUMENTS, 0)).selectExpr(
        "id AS row", *[column_sql(name, e) for name, e in fields]
    )
    rows.coalesce(1).write.parquet(path)
    over, never = (
        [
            checked(
                sample.over_columns,
                Schema(tuple(Field(n, e.type, nullable=null) for n, e in sample.columns.items())),
            )
            for sample in all_samples
        ]
        for null in (True, False)
    )
    selected = spark.read.parquet(path).selectExpr(
        "row",
        *(f"{AS_NUMBER.get(e.type, '{}').format(name)} AS `{name}`" for name, e in fields),
        *(f"{e.sql} AS w{i}" for i, e in enumerate(sample.literal for sample in all_samples)),
        *(f"{AS_NUMBER.get(e.type, '{}').format(e.sql)} AS v{i}" for i, e in enumerate(over)),
        *(f"({' OR '.join(e.failures) or 'FALSE'}) AS f{i}" for i, e in enumerate(over)),
    )
    found = sorted(selected.collect(), key=lambda row: row["row"])
    types = {field.name: field for field in selected.schema.fields}
    return trials_of(all_samples, over, never, found, types)


def trials_of(
    all_samples: list[Sample],
    over: list[Expression],
    never: list[Expression],
    found: list[Row],
    types: dict[str, StructField],
) -> list[Trial]:
    """A trial per sample.

    Args:
        all_samples: the samples.
        over: their expressions over nullable columns.
        never: their expressions over columns that are not null.
        found: result rows, in order.
        types: result column → its field.
    """
    trials = []
    for i, sample in enumerate(all_samples):
        got = [(in_years(row[f"v{i}"], sample.literal.type), row[f"f{i}"]) for row in found]
        positions = {position_of(name): expression.type for name, expression in sample.columns.items()}
        assert all(position < MOST_ARGUMENTS for position in positions)
        trials.append(
            Trial(
                sample,
                over[i],
                never[i].nullable,
                types[f"w{i}"].dataType.simpleString().upper(),
                types[f"w{i}"].nullable,
                found[0][f"w{i}"],
                got[0],
                got[1],
                {position: got[2 + position] for position in positions},
                [
                    (f"{p}: {sql}", *got[edge_row(p, n)])
                    for p, kind in positions.items()
                    for n, sql in enumerate(edges(kind))
                ],
                [
                    {name: as_row_value(found[at][name], e.type) for name, e in sample.columns.items()}
                    for at in (
                        0,
                        *(edge_row(p, n) for p, kind in positions.items() for n in range(len(edges(kind)))),
                    )
                ],
            )
        )
    return trials


def test_every_form_has_the_type_of_the_table(forms: list[Trial]) -> None:
    wrong = [
        (trial.sample.text, trial.spark_type, schema_sql(trial.sample.literal.type))
        for trial in forms
        if plain(trial.spark_type) != plain(schema_sql(trial.sample.literal.type))
    ]
    assert not wrong


def plain(type_sql: str) -> str:
    return type_sql.upper().replace(" ", "").replace("`", "")


def test_every_form_gives_its_value_written_out_and_over_fields(forms: list[Trial]) -> None:
    wrong = []
    for trial in forms:
        expected = exact_json(trial.sample.value)
        if (exact_json(trial.written), exact_json(trial.over[0]), trial.over[1]) != (
            expected,
            expected,
            False,
        ):
            wrong.append((trial.sample.text, expected, trial.written, trial.over))
    assert not wrong


def test_spark_promises_as_much_as_the_table_but_where_it_is_known_not_to(forms: list[Trial]) -> None:
    looser = {
        trial.sample.function.name
        for trial in forms
        if trial.spark_nullable and not trial.sample.literal.nullable
    }
    assert looser ^ {name for names in LOOSER_IN_SPARK.values() for name in names} == set()


def follows(trial: Trial, value: Any, nulls: set[int]) -> bool:
    """Whether this value is what the table says for null arguments at these positions."""
    match trial.nulls:
        case Nulls.NEVER:
            return value is not None
        case Nulls.ALL:
            return (value is None) == (nulls == set(trial.alone))
        case Nulls.FIRST:
            return (value is None) == (0 in nulls)
        case Nulls.OWN if len(nulls) < len(trial.alone):
            return (value is None) != ((trial.sample.text, *nulls) in NOT_NULL_BESIDE_NULL)
        case _:
            return value is None


def test_null_arguments_together_and_one_at_a_time_follow_the_null_rule_of_the_table(
    forms: list[Trial],
) -> None:
    tried = [(trial, set(trial.alone), trial.empty) for trial in forms if trial.alone]
    tried += [(trial, {position}, got) for trial in forms for position, got in trial.alone.items()]
    wrong = [
        (trial.sample.over_columns, nulls, value, failed)
        for trial, nulls, (value, failed) in tried
        if failed or not follows(trial, value, nulls) or (value is None and not trial.expression.nullable)
    ]
    assert not wrong


def test_values_at_the_edges_give_null_only_where_the_table_says_so_and_count_it(forms: list[Trial]) -> None:
    """The query succeeds, so no example throws. With a failure condition, null may be the right value."""
    wrong = [
        (trial.sample.over_columns, edge, value, failed)
        for trial in forms
        for edge, value, failed in trial.edge
        if value is BEYOND or (value is None and not trial.nullable) or (failed and not trial.may_fail)
    ]
    assert not wrong


def test_what_cannot_be_computed_is_counted(forms: list[Trial]) -> None:
    wrong = [
        (trial.sample.over_columns, edge)
        for trial in forms
        for edge, value, failed in trial.edge
        if trial.nulls is Nulls.ERROR and value is None and not failed and not trial.sample.form.failure
    ]
    assert not wrong


def test_what_is_computed_in_python_is_the_same_at_the_edges(forms: list[Trial]) -> None:
    """The browser's record filter over the same rows."""
    wrong, compared = [], 0
    for trial in forms:
        fields = Schema(tuple(Field(name, e.type, nullable=True) for name, e in trial.sample.columns.items()))
        parsed, _ = parse_tokens(tokens_of(trial.sample.over_columns, ())[0], trial.sample.over_columns, ())
        assert parsed is not None
        try:
            evaluate = compile_tree(bind(parsed.tree, fields))
        except ExpressionError:
            continue
        for row, (edge, value, _) in zip(trial.rows, [("as it is", *trial.over), *trial.edge], strict=True):
            compared += 1
            found = evaluate(row)
            if exact_json(found) != exact_json(value):
                wrong.append((trial.sample.over_columns, edge, exact_json(found), exact_json(value)))
    assert not wrong
    assert compared > 500


def test_nothing_but_the_view_is_in_the_plan(one_row: DataFrame) -> None:
    """Spark's own account of what was read: one relation, no subquery, no code."""
    schema = schema_from_json(VALUES["fields"])
    frame = one_row.selectExpr(
        *[f"{checked(text, schema).sql} AS c{i}" for i, (text, *_) in enumerate(VALUES["cases"])]
    )
    plan = frame._jdf.queryExecution().analyzed().toString()
    assert plan.count("Relation [") == 1
    assert not any(
        word in plan.lower() for word in ("subquery", "reflect", "java_method", "pythonudf", "lateral")
    )
