"""The pass that decides the watermark's delay and policy."""

from jobs.plan import plan_job
from tests.support.planned import contract, found

TWO = """
format: 1
name: two
sources:
  a: {{stream: a}}
  b: {{stream: b}}
steps:
  of_a: {{op: filter, input: a, where: x > 0}}
  of_b: {{op: filter, input: b, where: x > 0}}
outputs:
  live: {{input: of_a, to: result}}
  more: {{input: of_b, to: {target}}}
settings: {{watermark: max}}
"""


def test_the_fastest_source_decides_only_with_a_warning() -> None:
    plan = plan_job(TWO.format(target="{topic: t}"), {"a": contract(), "b": contract()})
    assert ("WATERMARK_MAX", "settings.watermark") in found(plan)


def test_with_one_source_there_is_nothing_to_decide() -> None:
    document = TWO.format(target="{topic: t}").replace("  b: {stream: b}\n", "").replace("input: b", "input: a")
    plan = plan_job(document, {"a": contract()})
    assert ("WATERMARK_MAX", "settings.watermark") not in found(plan)
