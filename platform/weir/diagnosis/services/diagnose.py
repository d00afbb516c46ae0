"""The walk from source to output: rules in their order, and what was seen at each place on the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weir.diagnosis.services import output_rules, run_rules, source_rules
from weir.diagnosis.services.evidence import Evidence, SourceFacts
from weir.diagnosis.services.finding import Check, Finding, PlaceKind, Status
from weir.diagnosis.services.step_rows import StepRows, rows_through
from weir.diagnosis.services.step_rules import step_cause
from weir.diagnosis.services.time_rules import time_cause


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The first cause, and all places in the order of the walk."""

    cause: Finding
    checks: tuple[Check, ...]

    def as_json(self) -> dict[str, Any]:
        """The form of the API."""
        return {"cause": self.cause.as_json(), "checks": [check.as_json() for check in self.checks]}


def diagnose(evidence: Evidence) -> Diagnosis:
    """Why the job gives no output, or that it does.

    Args:
        evidence: what is known about it (`gather.evidence_of`).
    """
    sampled = {source.name: (source.sample.rows if source.sample else None) for source in evidence.sources}
    found = rows_through(evidence.plan, sampled) if evidence.plan.ok else {}
    cause = _cause(evidence, found)
    return Diagnosis(cause, tuple(_walk(evidence, found, cause)))


def _cause(evidence: Evidence, found: Mapping[str, StepRows]) -> Finding:
    unchecked = [name for name, rows in found.items() if rows.rows is None and "." not in name]
    return (
        run_rules.run_cause(evidence)
        or output_rules.flowing(evidence)
        or source_rules.source_cause(evidence)
        or source_rules.first_batch(evidence)
        or (source_rules.silent(evidence) if evidence.counts.rows_out else None)
        or (step_cause(evidence, found) if found else None)
        or (time_cause(evidence) if found else None)
        or source_rules.catching_up(evidence)
        or source_rules.silent(evidence)
        or output_rules.expired(evidence)
        or output_rules.unknown(evidence, unchecked)
    )


def _walk(evidence: Evidence, found: Mapping[str, StepRows], cause: Finding) -> list[Check]:
    """Every place of the way; those behind the cause were not checked."""
    needed = evidence.plan.upstream_of(evidence.plan.outputs[0]) if evidence.plan.ok else frozenset()
    places: list[Check] = [Check(("run", ""), "ok", f"The run is {evidence.run.shown.replace('_', ' ')}.")]
    places += [_source(source) for source in evidence.sources if source.name in needed or not needed]
    sources = {source.name for source in evidence.sources}
    places += [
        _step(found, node.name, node.inputs)
        for node in evidence.plan.live_nodes
        if node.name in needed and node.name not in sources
    ]
    places.append(Check(("output", ""), "ok", f"{evidence.counts.rows_out:,} rows written."))
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


def _source(source: SourceFacts) -> Check:
    place: tuple[PlaceKind, str] = ("source", source.name)
    if source.sample is None:
        return Check(place, "unknown", f"{source.topic} couldn't be read.")
    good = len(source.sample.rows)
    waiting = "" if source.waiting is None else f" {source.waiting:,} to read."
    return Check(
        place,
        "ok",
        f"{good:,} of the newest {source.sample.read:,} records are rows.{waiting}",
    )


def _step(found: Mapping[str, StepRows], name: str, inputs: tuple[str, ...]) -> Check:
    rows = found.get(name)
    given = [found[reference].count for reference in inputs if reference in found]
    if rows is None or rows.count is None:
        return Check(("step", name), "unknown", f"Not visible from here: {rows.unknown if rows else ''}.")
    read = sum(number or 0 for number in given)
    return Check(("step", name), "ok", f"{read:,} rows in, {rows.count:,} out, in the newest records.")
