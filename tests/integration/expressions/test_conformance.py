"""The function table and the type rules against Spark itself: same types, same values, null where the table says so."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.base.schemas import Field, Schema, schema_from_json
from jobs.base.types import type_text
from jobs.expressions import FUNCTIONS, Expression, check_expression, schema_sql
from jobs.expressions.functions.function import Constant, Function, Given, Nulls, Signature
from tests.support.shown import shown

pytestmark = pytest.mark.integration

VALUES = json.loads((Path(__file__).parent / "values.json").read_text(encoding="utf-8"))
EMPTY = Schema(())
LOOSER_IN_SPARK = frozenset(
    (
        "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "date_trunc", "degrees", "exp", "expm1", "floor", "format_number",
        "is_nan", "map_contains_key", "mask", "radians", "right", "round", "sha2", "sign", "sin", "sinh", "split_part", "sqrt", "tan",
        "tanh", "time_bucket", "to_json", "to_seconds", "truncate", "url_encode",
    )
)  # fmt: skip
"""Functions that Spark's analysis calls nullable although only their arguments can make them null."""


def checked(text: str, schema: Schema) -> Expression:
    expression, problems = check_expression(text, schema, ("test",))
    assert expression is not None, (text, problems)
    return expression


def collected(frame: DataFrame, expressions: list[Expression]) -> list[tuple[str, bool, Any, bool]]:
    """Spark's type text, nullability, value and failure flag of each expression, in one query."""
    columns = []
    for place, expression in enumerate(expressions):
        columns += [f"{expression.sql} AS v{place}", f"({' OR '.join(expression.failures) or 'FALSE'}) AS f{place}"]
    selected = frame.selectExpr(*columns)
    row, fields = selected.collect()[0], selected.schema.fields
    return [
        (fields[2 * i].dataType.simpleString().upper(), fields[2 * i].nullable, row[2 * i], row[2 * i + 1]) for i in range(len(expressions))
    ]


@pytest.fixture(scope="module")
def one_row(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """The fields of values.json, written and read back so that nothing is folded before it runs."""
    types = {field["name"]: schema_from_json([field]).fields[0].type for field in VALUES["fields"]}
    columns = [f"CAST({field['sql']} AS {schema_sql(types[field['name']])}) AS `{field['name']}`" for field in VALUES["fields"]]
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
        declared = schema_sql(expression.type).replace(" ", "")
        seen = (type_text(expression.type), shown(spark_value), failed, spark_type.replace(" ", "") == declared)
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
                for place, parameter in enumerate(form.spread(len(arguments)) or ()):
                    if isinstance(parameter, Constant | Given) or arguments[place] == "null":
                        continue
                    name = f"c{len(found)}_{place}"
                    columns[name] = checked(arguments[place], EMPTY)
                    arguments[place] = name
                found.append(Sample(function, form, text, value, checked(text, EMPTY), columns, f"{function.name}({', '.join(arguments)})"))
    return found


@pytest.fixture(scope="module")
def forms(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Sample, Expression, tuple[str, bool], list[Any]]]:
    """Every example of every form: Spark's type and nullability of it as written, then [value, failed] as written, over
    fields, and over fields that are all null. One query; the fields are read from a file, so that nothing is folded."""
    given = samples()
    fields = [(name, expression) for sample in given for name, expression in sample.columns.items()]
    path = str(tmp_path_factory.mktemp("forms") / "rows")
    rows = spark.range(2).selectExpr("id AS row", *[f"IF(id = 0, {e.sql}, NULL) AS `{name}`" for name, e in fields])
    rows.coalesce(1).write.parquet(path)
    schema = Schema(tuple(Field(name, expression.type, nullable=True) for name, expression in fields))
    over = [checked(sample.over_columns, schema) for sample in given]
    selected = spark.read.parquet(path).selectExpr(
        "row",
        *(f"{e.sql} AS w{i}" for i, e in enumerate(sample.literal for sample in given)),
        *(f"{e.sql} AS v{i}" for i, e in enumerate(over)),
        *(f"({' OR '.join(e.failures) or 'FALSE'}) AS f{i}" for i, e in enumerate(over)),
    )
    full, empty = sorted(selected.collect(), key=lambda row: row["row"])
    types = {field.name: field for field in selected.schema.fields}
    return [
        (
            sample,
            expression,
            (types[f"w{i}"].dataType.simpleString().upper(), types[f"w{i}"].nullable),
            [full[f"w{i}"], full[f"v{i}"], full[f"f{i}"], empty[f"v{i}"], empty[f"f{i}"]],
        )
        for i, (sample, expression) in enumerate(zip(given, over, strict=True))
    ]


Forms = list[tuple[Sample, Expression, tuple[str, bool], list[Any]]]


def test_every_form_has_the_type_of_the_table(forms: Forms) -> None:
    wrong = [
        (sample.text, spark_type, schema_sql(sample.literal.type))
        for sample, _, (spark_type, _), _ in forms
        if plain(spark_type) != plain(schema_sql(sample.literal.type))
    ]
    assert not wrong


def plain(type_sql: str) -> str:
    return type_sql.upper().replace(" ", "").replace("`", "")


def test_every_form_gives_its_value_written_out_and_over_fields(forms: Forms) -> None:
    wrong = [
        (sample.text, shown(sample.value), shown(written), shown(over), failed)
        for sample, _, _, (written, over, failed, _, _) in forms
        if shown(written) != shown(sample.value) or shown(over) != shown(sample.value) or failed
    ]
    assert not wrong


def test_spark_promises_as_much_as_the_table_but_where_it_is_known_not_to(forms: Forms) -> None:
    """Where Spark's analysis only says that null may come, the null rule below is what stands for the promise."""
    looser = {sample.function.name for sample, _, (_, nullable), _ in forms if nullable and not sample.literal.nullable}
    assert sorted(looser - LOOSER_IN_SPARK) == []
    assert [sample.text for sample, _, _, (written, *_) in forms if written is None and not sample.literal.nullable] == []


def follows_not(sample: Sample, value: Any, failed: bool) -> bool:
    never = (sample.form.nulls or sample.function.nulls) is Nulls.NEVER
    return bool(sample.columns) and ((value is None) == never or failed)


def test_null_arguments_follow_the_null_rule_of_the_table(forms: Forms) -> None:
    wrong = [
        (sample.over_columns, value, failed)
        for sample, expression, _, (_, _, _, value, failed) in forms
        if follows_not(sample, value, failed) or (value is None and not expression.nullable)
    ]
    assert not wrong


def test_nothing_but_the_view_is_in_the_plan(one_row: DataFrame) -> None:
    """Spark's own account of what was read: one relation, no subquery, no code."""
    schema = schema_from_json(VALUES["fields"])
    frame = one_row.selectExpr(*[f"{checked(text, schema).sql} AS c{i}" for i, (text, *_) in enumerate(VALUES["cases"])])
    plan = frame._jdf.queryExecution().analyzed().toString()
    assert plan.count("Relation [") == 1
    assert not any(word in plan.lower() for word in ("subquery", "reflect", "java_method", "pythonudf", "lateral"))
