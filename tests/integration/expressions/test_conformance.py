"""The function table and the type rules against Spark itself: same types, same values, null where the table says so."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.base.schemas import Schema, schema_from_json
from jobs.base.types import DURATION, Atomic, DataType, Decimal, type_text
from jobs.expressions import FUNCTIONS, Expression, check_expression, schema_sql
from jobs.expressions.functions.function import Constant, Function, Nulls, Open, Signature
from tests.support.shown import shown

pytestmark = pytest.mark.integration

VALUES = json.loads((Path(__file__).parent / "values.json").read_text(encoding="utf-8"))
EMPTY = Schema(())


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


def test_every_example_of_every_form_gives_its_value_and_type(spark: SparkSession) -> None:
    examples = [(text, value) for function in FUNCTIONS.values() for form in function.signatures for text, value in form.examples]
    expressions = [checked(text, EMPTY) for text, _ in examples]
    wrong = []
    for (text, value), expression, (spark_type, _, spark_value, failed) in zip(
        examples, expressions, collected(spark.range(1), expressions), strict=True
    ):
        if (shown(spark_value), spark_type, failed) != (shown(value), schema_sql(expression.type), False):
            wrong.append((text, shown(spark_value), spark_type, failed, shown(value), expression.type))
    assert not wrong


def null_form(function: Function, form: Signature) -> str:
    """A call of this form whose free arguments are all null."""
    known = form.examples[0][0]
    arguments: list[str] = []
    for place, parameter in enumerate(form.parameters):
        if isinstance(parameter, Constant):
            arguments.append(checked_argument(known, place))
        else:
            arguments.append(
                f"cast(null as {type_text(free_type(parameter))})"
                if parameter != DURATION
                else "(cast(null as timestamp) - cast(null as timestamp))"
            )
    return f"{function.name}({', '.join(arguments)})"


def free_type(parameter: DataType | Open) -> DataType:
    if isinstance(parameter, Open):
        return Decimal(5, 2) if parameter is Open.DECIMAL else Atomic("int")
    return parameter


def checked_argument(example: str, place: int) -> str:
    """The literal at a place of an example's call, as written."""
    inside = example[example.index("(") + 1 : -1]
    parts, depth, quoted = [""], 0, False
    for sign in inside:
        quoted ^= sign == "'"
        depth += 0 if quoted else (sign == "(") - (sign == ")")
        if sign == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return parts[place].strip()


def test_null_arguments_follow_the_null_rule_of_the_table(spark: SparkSession) -> None:
    forms = [(function, form) for function in FUNCTIONS.values() for form in function.signatures if form.parameters]
    expressions = [checked(null_form(function, form), EMPTY) for function, form in forms]
    wrong = []
    for (function, form), expression, (_, _, value, failed) in zip(forms, expressions, collected(spark.range(1), expressions), strict=True):
        never = (form.nulls or function.nulls) is Nulls.NEVER
        if (value is None) == never or failed:
            wrong.append((expression.text, value, failed))
    assert not wrong


def test_nothing_but_the_view_is_in_the_plan(one_row: DataFrame) -> None:
    """Spark's own account of what was read: one relation, no subquery, no code."""
    schema = schema_from_json(VALUES["fields"])
    frame = one_row.selectExpr(*[f"{checked(text, schema).sql} AS c{i}" for i, (text, *_) in enumerate(VALUES["cases"])])
    plan = frame._jdf.queryExecution().analyzed().toString()
    assert plan.count("Relation [") == 1
    assert not any(word in plan.lower() for word in ("subquery", "reflect", "java_method", "pythonudf", "lateral"))
