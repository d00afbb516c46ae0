"""The folder in which a query keeps its checkpoint, and how it changes when the measures of an aggregate do
(`docs/decisions/2026-11-26-measures-on-old-state.md`).

A generation's folder holds a checkpoint of Spark's with a file that tells the layout of its aggregates. State
for other measures is written into a new folder within it, whose layout is written last: until then the old
folder is the checkpoint, and an adaptation that was interrupted begins again.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from jobs.engine.aggregate_layouts import (
    Operator,
    Rewrite,
    StateLayout,
    StateLayoutError,
    operators_of,
    rewrite,
)
from jobs.engine.checkpoint_files import checkpoint_files, names_in
from jobs.engine.lowering import is_final
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.data_driven_windows import SessionSpec
from jobs.plan import Plan

_LAYOUT: Final = "layout.json"
_ADAPTED: Final = re.compile(r"adapted-(\d+)")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CheckpointMissingError(Exception):
    """The folder of a generation that has committed batches holds nothing."""

    folder: str

    def __str__(self) -> str:
        return f"{self.folder} is empty, or is not there"


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of a query.

    Attributes:
        folder: where it is.
        layout: of its aggregates; None: not known.
        is_pending: where each measure is remains to be kept (`keep_layout`).
    """

    folder: str
    layout: StateLayout | None
    is_pending: bool = False

    @property
    def partial_before_us(self) -> int | None:
        """Event time: windows that start before it lack rows in a measure that was added later; None: none
        does.
        """
        return self.layout.partial_before_us if self.layout is not None else None


def find_checkpoint(session: SparkSession, base: str) -> Checkpoint:
    """The checkpoint in a generation's folder, which may be empty.

    Args:
        session: any.
        base: the folder of the generation, or of a query in it.

    Raises:
        StateLayoutError: a newer Weir wrote it.
    """
    files = checkpoint_files(session)
    numbers = [int(found[1]) for name in names_in(files, base) if (found := _ADAPTED.fullmatch(name))]
    for folder in [f"{base}/adapted-{number}" for number in sorted(numbers, reverse=True)] + [base]:
        text = files.read(f"{folder}/{_LAYOUT}")
        if text is not None:
            return Checkpoint(folder, StateLayout.from_text(text))
    return Checkpoint(base, None)


def expect_checkpoint(session: SparkSession, base: str) -> None:
    """Refuse to begin anew where a generation has committed batches: its state would be empty, and rows
    between its start and its last commit would be counted again, or not at all.

    Args:
        session: any.
        base: the folder of the generation.

    Raises:
        CheckpointMissingError: nothing is there.
    """
    if not names_in(checkpoint_files(session), base):
        raise CheckpointMissingError(base)


def open_checkpoint(records: DataFrame, plan: Plan, base: str, document: str) -> Checkpoint:
    """The checkpoint on which a query is to start, adapted to its measures where they differ. No query may
    run on it.

    Args:
        records: of the query, before they are written.
        plan: of the query.
        base: the folder of the generation, or of this query in it.
        document: digest of what the query was made from; for the same, Spark is not asked again.

    Raises:
        StateLayoutError: the state differs in more than measures.
    """
    session = records.sparkSession
    found = find_checkpoint(session, base)
    kept = found.layout
    if not plan.state.measures:
        return found
    if kept is not None and kept.document == document:
        return replace(found, is_pending=kept.aggregates is None)
    if kept is None or kept.aggregates is None:
        if not _commits(session, found.folder):
            begun = StateLayout(plan.base_fingerprint, document, None)
            return replace(_keep(session, base, begun), is_pending=True)
        if kept is None:  # begun before layouts were kept: only versions with the same state go on here
            return found
        raise StateLayoutError(
            "The first query on this state ended before it was known how it keeps measures."
        )
    layout, operators = _planned(records, plan, document)
    changed = _rewrites(kept, layout, operators)
    if not changed:
        return _keep(session, found.folder, replace(layout, partial_before_us=found.partial_before_us))
    if kept.base_fingerprint != plan.base_fingerprint:
        raise StateLayoutError("The state differs from what this version keeps in more than measures.")
    return _adapt(session, plan, base, found, layout, changed)


def keep_layout(records: DataFrame, plan: Plan, base: str, document: str) -> None:
    """Keep where each measure is in a checkpoint in which that is pending. Spark plans the query once more
    for it, which takes a tenth of a second, so it is done while the query runs.

    Arguments as of `open_checkpoint`.

    Raises:
        StateLayoutError: Spark plans other operators than the plan says.
    """
    layout = _planned(records, plan, document)[0]
    found = find_checkpoint(records.sparkSession, base).layout
    if found is not None and (found.document, found.aggregates) == (document, None):
        _keep(records.sparkSession, base, layout)  # else it is gone, or another version has begun there since


def _planned(records: DataFrame, plan: Plan, document: str) -> tuple[StateLayout, list[Operator]]:
    operators = operators_of(plan, _described(records, plan))
    layout = StateLayout(plan.base_fingerprint, document, {one.id: one.aggregate for one in operators})
    return layout, operators


def _rewrites(
    old: StateLayout, new: StateLayout, operators: list[Operator]
) -> list[tuple[Operator, Rewrite]]:
    known = old.aggregates or {}
    if known.keys() != (new.aggregates or {}).keys():
        raise StateLayoutError("The query has other aggregates.")
    wanted = ((one, rewrite(known[one.id], one.aggregate)) for one in operators)
    return [(one, found) for one, found in wanted if found is not None]


def _adapt(
    session: SparkSession,
    plan: Plan,
    base: str,
    old: Checkpoint,
    layout: StateLayout,
    changed: list[tuple[Operator, Rewrite]],
) -> Checkpoint:
    files, jvm = checkpoint_files(session), _jvm(session)
    number = 1 if old.folder == base else int(old.folder.rpartition("-")[2]) + 1
    folder = f"{base}/adapted-{number}"
    files.delete(folder)  # of an adaptation that was interrupted
    before = (old.layout.aggregates if old.layout is not None else None) or {}
    operators = {
        one.id: {
            **{name: one.described[name] for name in ("fixed", "initial", "keys", "window")},
            "types": before[one.id].types,
            "newTypes": one.aggregate.types,
            "sources": how.sources,
        }
        for one, how in changed
    }
    try:
        text = jvm.weir.checkpoints.StateAdapter.adapt(
            _java(session), old.folder, folder, json.dumps(operators)
        )
    except Py4JJavaError as error:
        raise StateLayoutError(f"The state could not be adapted: {error.java_exception}") from error
    bounds = [old.partial_before_us]
    for one, how in changed:
        latest = json.loads(text).get(one.id)
        if latest and how.added:
            bounds.append(_partial_before_us(plan, one.step, latest))
    known = [bound for bound in bounds if bound is not None]
    adapted = _keep(session, folder, replace(layout, partial_before_us=max(known, default=None)))
    log.info("the state of %s was adapted to other measures", ", ".join(one.step for one, _ in changed))
    for name in [old.folder] if old.folder != base else _own(names_in(files, base), base):
        files.delete(name)
    return adapted


def _partial_before_us(plan: Plan, step: str, latest: Mapping[str, int]) -> int:
    """Past the start of every window of results that lacks rows in the measures that were added to a step.

    Args:
        plan: of the query.
        step: an aggregate with a window.
        latest: start and end of the latest window of the step that has state, in µs, as Spark stores it.
    """
    node = plan.node(step)
    bound = node.bound
    if not isinstance(bound, AggregateBound):
        raise TypeError(f"{step} is no aggregate")
    # Windows close later than they end, and sessions are made of later times
    # (`jobs.engine.operators.windows`).
    later_us = plan.relation(node.inputs[0]).not_applied(bound.slack).us
    if any(step in plan.upstream_of(other) for other in plan.state.stateful if other != step):
        return latest["end"] - later_us  # windows of a later step hold the windows of this one
    return latest["start"] - (later_us if isinstance(bound.window, SessionSpec) else 0) + 1


def _own(names: list[str], base: str) -> list[str]:
    return [f"{base}/{name}" for name in names if _ADAPTED.fullmatch(name) is None]


def _keep(session: SparkSession, folder: str, layout: StateLayout) -> Checkpoint:
    checkpoint_files(session).write(f"{folder}/{_LAYOUT}", layout.to_text())
    return Checkpoint(folder, layout)


def _commits(session: SparkSession, folder: str) -> bool:
    return any(name.isdigit() for name in names_in(checkpoint_files(session), f"{folder}/commits"))


def _described(records: DataFrame, plan: Plan) -> list[dict[str, Any]]:
    mode = "append" if is_final(plan) else "update"
    text = _jvm(records.sparkSession).weir.checkpoints.AggregateLayouts.describe(records._jdf, mode)
    found: list[dict[str, Any]] = json.loads(text)
    return found


def _jvm(session: SparkSession) -> Any:
    return session.sparkContext._jvm


def _java(session: SparkSession) -> Any:
    return session._jsparkSession
