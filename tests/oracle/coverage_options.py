"""Which options and types random documents have, beside operators and their neighbours (`coverage.py`)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from jobs.base.schemas import Schema
from jobs.base.types import type_text
from jobs.operators.aggregate_bound import AggregateBound
from jobs.plan import Plan
from jobs.plan.model import SOURCE
from tests.oracle.random_jobs import Job, kind_of
from tests.oracle.random_states import DAY_STARTS, MEASURES, RETENTIONS, WEEKDAYS, ZONES
from tests.oracle.random_steps import CASTS
from tests.oracle.random_times import DELAYS, OF_PARTS, RULES, clocks_of

DEFAULT_DELAY: Final = "10s"
OPTIONS: Final = ("limit", "error", "items", "accuracy")
CONDITIONAL: Final = sorted(
    {text.partition("(")[0] for text, *_ in MEASURES} | {"top_rows", "bottom_rows", "count_if"}
)
TYPED: Final = {
    text.partition("(")[0]: kinds[0].replace("short_", "").split()
    for text, *kinds in MEASURES
    if kinds and kinds[0].startswith("int ")
}
"""Measure of numbers → the kinds of number that it is drawn of."""


def option_features(job: Job, plan: Plan) -> Iterator[str]:
    """What a document has, each as ``group: feature``; once or more."""
    yield from _sources(job, plan)
    for node in plan.live_nodes:
        if node.op == "aggregate":
            yield from _windows(job.steps[node.name])
            assert isinstance(node.bound, AggregateBound)
            yield from _measures(job.steps[node.name], node.bound)
        elif node.op == "cast":
            yield from _casts(job.steps[node.name], plan.relation(node.inputs[0]).schema)
        elif node.op == "table_join" and "retention" in job.steps[node.name]:
            yield f"retention: {job.steps[node.name]['retention']}"
    for written in job.names.values():
        yield from (f"written name: {'path' if isinstance(to, list) else 'text'}" for to in written.values())


def _sources(job: Job, plan: Plan) -> Iterator[str]:
    contracts = {node.name: job.contracts[node.name] for node in plan.live_nodes if node.op == SOURCE}
    streams = [name for name, contract in contracts.items() if contract.get("kind") != "table"]
    yield from ("delay: of a source of the document" for name in streams if name in job.delays)
    delays = [job.delays.get(name, contracts[name].get("delay", DEFAULT_DELAY)) for name in streams]
    yield from (f"delay: {delay}" for delay in delays)
    yield from (f"delay: {'two alike' if one == other else 'two unlike'}" for one, other in pairwise(delays))
    for contract in contracts.values():
        yield from _event_times(contract)


def _event_times(contract: dict[str, Any]) -> Iterator[str]:
    rule = contract.get("event_time")
    if rule is None:
        return
    kind = "" if rule["kind"] == "field" else "corrected, of "
    yield from (f"event time: {kind}{_form(type_, part)}" for part, type_ in clocks_of(contract).values())
    if rule["kind"] == "corrected":
        yield f"event time: corrected, received by {'a field' if 'received' in rule else 'Kafka'}"
    if "on_missing" in rule:
        yield "event time: Kafka's where it is missing"
    if "max_ahead" in contract:
        yield "event time: only so far ahead"
    if contract.get("kind") == "table":
        yield "event time: of a table"


def _form(type_: str, rule: dict[str, Any]) -> str:
    return f"{kind_of(type_)} in {rule['unit']}" if "unit" in rule else kind_of(type_)


def _windows(step: dict[str, Any]) -> Iterator[str]:
    if step["window"] == "none":
        return
    ((kind, window),) = step["window"].items()
    if "offset" in window:
        yield f"window option: offset of {kind}"
    yield from (f"window option: {window[name]}" for name in ("unit", "zone", "day_start") if name in window)
    if "week_start" in window:
        yield f"window option: from {window['week_start']}"
    if "grace" in step:
        yield "window option: grace"


def _measures(step: dict[str, Any], bound: AggregateBound) -> Iterator[str]:
    for measure in bound.measures:
        if measure.where is not None:
            yield f"measure with a condition: {measure.function}"
        if measure.function in TYPED:
            kinds = {kind_of(type_text(argument.type)) for argument in measure.arguments}
            yield from (f"numbers of a measure: {measure.function} of {kind}" for kind in kinds)
        text = step["measures"][measure.name]
        yield from (f"option of a measure: {name}" for name in OPTIONS if f", {name} = " in text)


def _casts(step: dict[str, Any], schema: Schema) -> Iterator[str]:
    for name, to in step["fields"].items():
        found = schema.get(name)
        assert found is not None
        yield f"cast: {kind_of(type_text(found.type))} → {kind_of(to)}"


EXPECTED_OPTIONS: Final = (
    *(f"delay: {delay}" for delay in (*DELAYS, "two alike", "two unlike", "of a source of the document")),
    *(f"event time: {_form(type_, rule)}" for type_, rule in RULES),
    *(f"event time: corrected, of {_form(type_, rule)}" for type_, rule in OF_PARTS),
    *(f"event time: corrected, received by {who}" for who in ("a field", "Kafka")),
    *(f"event time: {how}" for how in ("Kafka's where it is missing", "only so far ahead", "of a table")),
    *(f"window option: offset of {kind}" for kind in ("tumbling", "hopping")),
    *(f"window option: {found}" for found in ("day", "week", "month", *ZONES, *DAY_STARTS, "grace")),
    *(f"window option: from {day}" for day in WEEKDAYS),
    *(f"measure with a condition: {name}" for name in CONDITIONAL),
    *(f"numbers of a measure: {name} of {kind}" for name, kinds in TYPED.items() for kind in kinds),
    *(f"option of a measure: {name}" for name in OPTIONS),
    *dict.fromkeys(f"cast: {kind} → {kind_of(to)}" for kind, all_to in CASTS.items() for to in all_to),
    *(f"retention: {retention}" for retention in RETENTIONS),
    *(f"written name: {how}" for how in ("text", "path")),
)
"""All of them that have to be drawn."""

OPTION_TITLES: Final = {
    "delay": "delay of a stream",
    "event time": "event time from a field",
    "retention": "retention of an as-of join",
    "written name": "name in the records of a topic",
}
RARE_OPTIONS: Final = (
    *("window option: ", "measure with a condition: ", "numbers of a measure: ", "option of a measure: "),
    *("cast: ", "retention: ", "event time: "),
)
