import pytest

from jobs.base.types import type_text
from jobs.operators import measures_as_json
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.measures import MEASURES, BoundMeasure
from tests.support.plan_helpers import FIELDS, only, planned, schema, step_plan


def one(text: str) -> BoundMeasure:
    plan = step_plan(op="aggregate", measures={"m": text})
    assert plan.ok, plan.problems
    bound = plan.node("step").bound
    assert isinstance(bound, AggregateBound)
    return bound.measures[0]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("count()", "long!"),
        ("count(*)", "long!"),
        ("count(x)", "long!"),
        ("count() where x > 0", "long!"),
        ("count_if(x > 0)", "long!"),
        ("sum(x)", "long"),
        ("sum(n)", "long"),
        ("sum(y)", "double"),
        ("sum(price)", "decimal(20,2)"),
        ("avg(x)", "double"),
        ("avg(n)", "double!"),
        ("avg(n) where x > 0", "double"),
        ("avg(price)", "decimal(14,6)"),
        ("avg(cast(price as decimal(38,37)))", "decimal(38,38)"),
        ("min(k)", "string"),
        ("max(id)", "string!"),
        ("max(at)", "timestamp"),
        ("min(flag)", "boolean"),
        ("first(tags)", "array<string>"),
        ("last(n)", "int!"),
        ("min_by(id, n)", "string!"),
        ("max_by(id, x)", "string"),
        ("stddev(n)", "double"),
        ("variance(price)", "double"),
        ("stddev_pop(n)", "double!"),
        ("var_pop(y)", "double"),
        ("corr(n, n)", "double"),
        ("approx_distinct(k)", "long!"),
        ("distinct(n)", "long"),
        ("percentile(n, 0.5)", "double!"),
        ("percentile(x, [0.5, 0.9])", "array<double>"),
        ("approx_percentile(big, 0.5)", "long"),
        ("approx_percentile(cast(price as decimal(15,2)), 0.5)", "decimal(15,2)"),
        ("collect_list(x)", "array<int>!"),
        ("collect_set(id, limit = 5)", "array<string>!"),
        ("any(flag)", "boolean"),
        ("all(n > 0)", "boolean!"),
    ],
)
def test_types_and_nullability(text: str, type_: str) -> None:
    assert schema(step_plan(op="aggregate", measures={"m": text})) == {"m": type_}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("approx_distinct(k)", {"error": 0.02}),
        ("approx_distinct(k, error = 0.1)", {"error": 0.1}),
        ("approx_distinct(k, 0.1)", {"error": 0.1}),
        ("distinct(k)", {"limit": 10_000}),
        ("percentile(x, 0.5)", {"p": 0.5}),
        ("percentile(x, 1)", {"p": 1.0}),
        ("percentile(x, array(0.1, 0.2))", {"p": (0.1, 0.2)}),
        ("percentile(x, p = 0.25)", {"p": 0.25}),
        ("approx_percentile(x, 0.5)", {"p": 0.5, "accuracy": 1000}),
        ("approx_percentile(x, 0.5, accuracy = 50)", {"p": 0.5, "accuracy": 50}),
        ("collect_list(x, 7)", {"limit": 7}),
    ],
)
def test_options(text: str, options: dict[str, object]) -> None:
    bound = one(text)
    assert bound.options == options
    assert len(bound.arguments) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("median(x)", "MEASURE_UNKNOWN"),
        ("top_values(tags, 3)", "MEASURE_TYPE"),
        ("approx_percentile(cast(price as decimal(16,2)), 0.5)", "MEASURE_TYPE"),
        ("top_values(k)", "PARAMETER_MISSING"),
        ("top_values(k, 1001)", "PARAMETER_RANGE"),
        ("top_rows(3)", "PARAMETER_MISSING"),
        ("top_rows(by x)", "PARAMETER_MISSING"),
        ("top_rows(3, by tags)", "MEASURE_TYPE"),
        ("top_rows(3, by x, [k, k])", "PARAMETER_RANGE"),
        ("top_rows(3, by x, [x + 1])", "PARAMETER_RANGE"),
        ("top_rows(3, by x, [kk])", "FIELD_UNKNOWN"),
        ("top_rows(3, by xx, [k])", "FIELD_UNKNOWN"),
        ("bottom_rows(0, by x, [k])", "PARAMETER_RANGE"),
        ("sum(k)", "MEASURE_TYPE"),
        ("avg(flag)", "MEASURE_TYPE"),
        ("sum(_time - at)", "MEASURE_TYPE"),
        ("max(tags)", "MEASURE_TYPE"),
        ("count_if(x)", "MEASURE_TYPE"),
        ("any(x)", "MEASURE_TYPE"),
        ("corr(x, k)", "MEASURE_TYPE"),
        ("min_by(k, tags)", "MEASURE_TYPE"),
        ("approx_distinct(tags)", "MEASURE_TYPE"),
        ("sum()", "PARAMETER_MISSING"),
        ("min_by(k)", "PARAMETER_MISSING"),
        ("percentile(x)", "PARAMETER_MISSING"),
        ("percentile(x, 1.5)", "PARAMETER_RANGE"),
        ("percentile(x, y)", "PARAMETER_RANGE"),
        ("percentile(x, 'half')", "PARAMETER_RANGE"),
        ("approx_distinct(k, error = 0.5)", "PARAMETER_RANGE"),
        ("approx_distinct(k, eror = 0.05)", "PARAMETER_RANGE"),
        ("collect_list(x, 1001)", "PARAMETER_RANGE"),
        ("collect_list(x, 1.5)", "PARAMETER_RANGE"),
        ("count(x, k)", "PARAMETER_RANGE"),
        ("sum(xx)", "FIELD_UNKNOWN"),
        ("sum(x) where k", "TYPE_MISMATCH"),
        ("x + 1", "EXPRESSION_INVALID"),
    ],
)
def test_problems(text: str, code: str) -> None:
    problem = only(step_plan(op="aggregate", measures={"m": text}))
    assert (problem.code, problem.path) == (code, ("steps", "step", "measures", "m"))


def test_rows_are_ranked_by_an_expression() -> None:
    bound = one("top_rows(3, by x + 1, [k, y]) where x > 0")
    assert [argument.canonical for argument in bound.arguments[1:]] == ["`k`", "`y`"]
    assert (bound.options, type_text(bound.type), bound.nullable) == (
        {"k": 3},
        "array<struct<k:string,y:double>>",
        False,
    )
    assert bound.where is not None


def test_ranked_rows_keep_every_field_unless_some_are_named() -> None:
    assert [argument.canonical.strip("`") for argument in one("bottom_rows(1, by x)").arguments[1:]] == list(
        FIELDS
    )


def test_a_field_may_be_called_by() -> None:
    plan = planned(
        {
            "step": {
                "op": "aggregate",
                "input": "s",
                "measures": {"m": "top_rows(2, by by, [by])", "n": "sum(by)"},
            }
        },
        fields={"by": "int"},
    )
    assert plan.problems == ()


def test_frequent_values_are_exact_up_to_a_number() -> None:
    problem = only(step_plan(op="aggregate", measures={"m": "top_values(k, 3, items = 500)"}))
    assert (problem.code, problem.severity) == ("APPROXIMATE", "warning")
    assert "500" in problem.message
    assert type_text(one("top_values(k, 3)").type) == "array<struct<value:string,count:long>>"


def test_every_example_is_valid() -> None:
    fields = {
        "price": "double",
        "amount": "double",
        "size": "int",
        "symbol": "string",
        "user": "string",
        "word": "string",
        "page": "string",
        "n": "int",
    }
    for measure in MEASURES.values():
        steps = {
            "row": {
                "op": "select",
                "input": "s",
                "fields": {name: f"cast(null as {type_})" for name, type_ in fields.items()},
            }
        }
        plan = planned(
            {**steps, "step": {"op": "aggregate", "input": "row", "measures": {"m": measure.example}}}
        )
        assert plan.ok, (measure.name, plan.problems)


def test_the_list_for_people_has_every_measure() -> None:
    assert [row["name"] for row in measures_as_json()] == list(MEASURES)
