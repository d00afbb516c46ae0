"""The walk from source to output: rules in their order, and what was seen at each place on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from jobs.base.instants import Instant, instant_text
from jobs.plan.model import Node
from jobs.plan.row_counts import references
from weir.diagnosis.services import join_rules, key_rules, null_rules, output_rules, run_rules, source_rules
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Check, Finding, PlaceKind, Status, amount
from weir.diagnosis.services.row_paths import rows_passed
from weir.diagnosis.services.source_facts import SourceFacts
from weir.diagnosis.services.step_rows import StepRows, rows_through
from weir.diagnosis.services.step_rules import step_cause
from weir.diagnosis.services.step_sight import Sight
from weir.diagnosis.services.time_rules import time_cause

_MOST_NAMED: Final = 8


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The first cause, and all places in the order of the walk.

    Attributes:
        at_us: when the evidence was collected.
        output: name of the output that is asked about; empty where the plan has none.
        outputs: names of all outputs, and the topics they write to; None for the result.
        cause: the first one.
        checks: of every place.
    """

    at_us: int
    output: str
    outputs: tuple[tuple[str, str | None], ...]
    cause: Finding
    checks: tuple[Check, ...]

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {
            "at": instant_text(Instant(self.at_us)),
            "output": self.output,
            "outputs": [{"name": name, "topic": topic} for name, topic in self.outputs],
            "cause": self.cause.as_json(),
            "checks": [check.as_json() for check in self.checks],
        }


def diagnose(evidence: Evidence) -> Diagnosis:
    """Why the job gives no output, or that it does.

    Args:
        evidence: what is known about it (`gather.evidence_of`).
    """
    sampled = {source.name: (source.judged.rows if source.judged else None) for source in evidence.sources}
    found = rows_through(evidence.plan, sampled) if evidence.plan.ok else {}
    cause = _cause(evidence, found)
    sinks = evidence.plan.sinks
    return Diagnosis(
        at_us=evidence.now_us,
        output=evidence.sink.name if sinks else "",
        outputs=tuple((sink.name, sink.topic) for sink in sinks),
        cause=cause,
        checks=tuple(_walk(evidence, found, cause)),
    )


def _cause(evidence: Evidence, found: Mapping[str, StepRows]) -> Finding:
    plan, counts = evidence.plan, evidence.counts
    ever = rows_passed(plan, counts.given, counts.steps) if plan.ok else frozenset[str]()
    lately = rows_passed(plan, counts.per_second, {}) if plan.ok else frozenset[str]()
    unchecked = [
        name for name, rows in found.items() if rows.rows is None and "." not in name and name not in ever
    ]
    return (
        run_rules.run_cause(evidence)
        or output_rules.flowing(evidence)
        or key_rules.has_row(evidence)
        or source_rules.source_cause(evidence)
        or source_rules.first_batch(evidence)
        or key_rules.not_seen(evidence)
        or (source_rules.silent(evidence) if evidence.rows_out else None)
        or (step_cause(evidence, found, ever) if found else None)
        or (time_cause(evidence) if found else None)
        or source_rules.catching_up(evidence, evidence.own_sources)
        or source_rules.silent(evidence)
        or (step_cause(evidence, found, lately) if found else None)
        or output_rules.expired(evidence)
        or (null_rules.expression_null(evidence, found) if found else None)
        or output_rules.unknown(evidence, unchecked)
    )


def _walk(evidence: Evidence, found: Mapping[str, StepRows], cause: Finding) -> list[Check]:
    """Every place of the way; those behind the cause were not checked."""
    needed = evidence.needed if evidence.plan.ok else frozenset()
    own = {source.name for source in evidence.own_sources}
    places: list[Check] = [Check(("run", ""), "ok", f"The run is {evidence.run.shown.replace('_', ' ')}.")]
    places += [
        _source(evidence, source)
        for source in evidence.sources
        if source.name in own or cause.place == ("source", source.name)
    ]
    sources = {source.name for source in evidence.sources}
    places += [
        _step(evidence, found, node)
        for node in evidence.plan.live_nodes
        if node.name in needed and node.name not in sources
    ]
    places.append(_output(evidence))
    return _until(places, cause)


def _until(places: list[Check], cause: Finding) -> list[Check]:
    reached = next((at for at, check in enumerate(places) if check.place == cause.place), len(places))
    checks = []
    for at, check in enumerate(places):
        if at == reached:
            status: Status = "ok" if cause.code == "OUTPUT_FLOWS" else "cause"
            checks.append(Check(check.place, status, cause.title + "."))
        elif at > reached:
            checks.append(Check(check.place, "not_checked", ""))
        else:
            checks.append(check)
    return checks


def _source(evidence: Evidence, source: SourceFacts) -> Check:
    place: tuple[PlaceKind, str] = ("source", source.name)
    if source.sample is None:
        return Check(place, "unknown", f"Records of {source.topic} weren't looked at.")
    if source.key_scan is not None:
        scan = source.key_scan
        looked = f"the newest {amount(scan.read, 'record')}"
        return Check(place, "ok", f"With the key among {looked}: {scan.found:,}.")
    good = len(source.sample.rows)
    waiting = "" if source.waiting is None else f" {source.waiting:,} to read."
    return Check(
        place,
        "ok",
        f"Rows among the newest {amount(source.sample.read, 'record')}: {good:,}.{waiting}"
        + _quiet(source_rules.silent_partitions(evidence, source)),
    )


def _quiet(numbers: list[int]) -> str:
    """Partitions that are silent while others aren't; they stall nothing, but their keys get no rows."""
    if not numbers:
        return ""
    shown = ", ".join(map(str, numbers[:_MOST_NAMED]))
    more = f" and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else ""
    several = len(numbers) > 1
    return f" No record for a minute in partition{'s' if several else ''} {shown}{more}."


def _step(evidence: Evidence, found: Mapping[str, StepRows], node: Node) -> Check:
    """What was seen of a step, and of a join how many of the newest rows find no partner."""
    check = _rows_of(evidence, found, node)
    alone = join_rules.partners(Sight(evidence, found, frozenset(), node, node.name))
    return replace(check, text=f"{check.text} {alone}") if alone else check


def _rows_of(evidence: Evidence, found: Mapping[str, StepRows], node: Node) -> Check:
    """The counts of the run where it has them, otherwise the rows of the sample."""
    counted = evidence.counts.given
    place: tuple[PlaceKind, str] = ("step", node.name)
    outs = [reference for reference in sorted(references(node)) if reference in counted]
    if outs and all(reference in counted for reference in node.inputs):
        given = sum(counted[reference] for reference in node.inputs)
        kept = sum(counted[reference] for reference in outs)
        text = f"{amount(given, 'row')} in, {kept:,} out, counted by the run."
        return Check(place, "ok" if kept else "unknown", text)
    rows = found.get(node.name)
    if rows is None or rows.count is None:
        why = rows.unknown if rows else ""
        return Check(place, "unknown", f"Not visible from here: {why}.")
    read = sum(found[reference].count or 0 for reference in node.inputs if reference in found)
    return Check(place, "ok", f"{amount(read, 'row')} in, {rows.count:,} out, in the newest records.")


def _output(evidence: Evidence) -> Check:
    written = evidence.rows_out if evidence.plan.ok else evidence.counts.rows_out
    if not evidence.counts.batches:
        return Check(("output", ""), "unknown", "The run hasn't counted a batch yet.")
    if written is None:
        return Check(("output", ""), "unknown", "How many rows it got isn't known.")
    return Check(("output", ""), "ok", f"{amount(written, 'row')} written.")
