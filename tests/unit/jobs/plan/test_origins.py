"""Output column to source columns, through every kind of step."""

from jobs.plan.origins import origins, result_origins
from tests.support.planned import planned


def test_columns_are_followed_down_to_the_source() -> None:
    plan = planned(
        {
            "some": {"op": "filter", "input": "s", "where": "flag"},
            "more": {"op": "derive", "input": "some", "fields": {"value": "price * x", "name": "upper(k)"}},
            "words": {"op": "split", "input": "more", "field": "name"},
            "sums": {
                "op": "aggregate",
                "input": "words",
                "window": {"tumbling": {"size": "5s"}},
                "by": ["word"],
                "measures": {"total": "sum(value) where big > 1", "n": "count()"},
                "emit": "final",
            },
            "shown": {"op": "select", "input": "sums", "fields": {"word": "word", "mean": "total / n", "at": "window_start", "n": "n"}},
        }
    )
    assert plan.ok, plan.problems
    assert result_origins(plan) == {"word": ["s.k"], "mean": ["s.big", "s.price", "s.x"], "at": ["s._time"], "n": []}
    assert origins(plan)["more"]["value"] == {"s.price", "s.x"}
    assert origins(plan)["some"]["k"] == {"s.k"}


def test_a_join_names_both_sources() -> None:
    sources = {"s": {"stream": "s"}, "r": {"stream": "s"}}
    join = {"op": "join", "left": "s", "right": "r", "on": {"k": "k"}, "between": {"after": "1m"}, "prefix": "r_"}
    plan = planned({"pairs": join}, sources=sources)
    assert plan.ok, plan.problems
    made = result_origins(plan)
    assert (made["x"], made["r_x"]) == (["s.x"], ["r.x"])


def test_a_document_with_errors_has_none() -> None:
    assert result_origins(planned({"some": {"op": "filter", "input": "s", "where": "x >"}})) == {}
