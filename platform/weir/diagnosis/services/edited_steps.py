"""What the counts of a run still say after its document was edited: they go on in its generation."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from jobs.plan import Plan
from weir.diagnosis.services.evidence import Counts

_SECTIONS = ("sources", "steps")


def edited_nodes(document: Mapping[str, Any], earlier: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Sources and steps that were not the same in each of these documents.

    Args:
        document: of the present, in plain values.
        earlier: those that ran before in the same generation.
    """
    return frozenset(
        name
        for before in earlier
        for section in _SECTIONS
        for name, node in document.get(section, {}).items()
        if before.get(section, {}).get(name) != node
    )


def counts_since_edit(counts: Counts, plan: Plan, edited: frozenset[str]) -> Counts:
    """Counts without those that rows of an earlier document may be in: of edited nodes, and of all behind
    them. That there was no row holds for both.

    Args:
        counts: of the run.
        plan: of the present document, without errors.
        edited: nodes (`edited_nodes`).
    """
    if not edited:
        return counts
    stale = {node.name for node in plan.live_nodes if plan.upstream_of(node.name) & edited}
    written_anew = any(sink.reference.partition(".")[0] in stale for sink in plan.sinks)
    return replace(
        counts,
        rows_out=None if counts.rows_out and written_anew else counts.rows_out,
        given={
            reference: rows
            for reference, rows in counts.given.items()
            if not rows or reference.partition(".")[0] not in stale
        },
        steps={
            name: replace(step, expression_nulls=None, state_rows=None, late=None, keyless=None)
            if name in stale
            else step
            for name, step in counts.steps.items()
        },
    )
