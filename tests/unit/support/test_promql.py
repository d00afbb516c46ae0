"""The reader of expressions finds what stands in them, and nothing else."""

import pytest

from tests.support.promql import Selector, grouped_labels, selectors


@pytest.mark.parametrize(
    ("expression", "metrics"),
    [
        ("up", {"up"}),
        ('max by (a, b) (rate(x_total{a="y", b=~"z.*"}[5m])) / sum(y) > 0.05', {"x_total", "y"}),
        ('a == 1 and on (q) b{state="failed"} unless on () time() - c > 60', {"a", "b", "c"}),
        ("a offset 30m >= 0", {"a"}),
        ("count(a) or vector(0)", {"a"}),
        ('label_values(a{w="$w"}, name)', {"a"}),
        ("1 * a\n+ 2e3 * b", {"a", "b"}),
    ],
)
def test_the_metrics_of_an_expression(expression: str, metrics: set[str]) -> None:
    assert {selector.metric for selector in selectors(expression)} == metrics


def test_the_labels_of_an_expression() -> None:
    assert selectors('x{a="b{c}", d!~"e"}') == [Selector("x", frozenset({"a", "d"}))]
    assert grouped_labels("sum by (a, b) (x) and on (c) y") == {"a", "b", "c"}
    assert grouped_labels("label_values(x, name)") == {"name"}
