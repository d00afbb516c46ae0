"""Causes that lie with steps that keep no state."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from jobs.operators.branch import BranchBound
from jobs.operators.explode import ExplodeBound
from jobs.operators.filter_bound import FilterBound
from weir.diagnosis.services import join_rules
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Fact, Finding, count, text
from weir.diagnosis.services.null_rules import all_null, failing_column
from weir.diagnosis.services.row_paths import gives_rows
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import Found
from weir.diagnosis.services.step_sight import Sight

Rule = Callable[[Sight], Finding | None]

_TOP: Final = 5


def step_cause(evidence: Evidence, found: Found, passed: AbstractSet[str]) -> Finding | None:
    """The first step that lets nothing through, if the output needs it.

    Args:
        evidence: of a job whose plan has no errors.
        found: rows of the sample by reference (`step_rows.rows_through`).
        passed: references that are known to give rows (`row_paths.rows_passed`): none of them is a cause.
    """
    plan = evidence.plan
    silent: set[str] = set()
    first: Finding | None = None
    for node in plan.live_nodes:
        rule = None if node.name in passed and not node.only_ports else _RULES.get(node.op)
        sight = Sight(evidence, found, passed, node, node.name)
        cause = rule(sight) if rule else None
        if cause is not None:
            first = first or cause
            silent |= _silenced(sight)
            if not gives_rows(plan, evidence.reference, silent):
                return first
    return None


def _silenced(sight: Sight) -> set[str]:
    """References of a step that give nothing: its empty ports, or all of it."""
    node = sight.node
    return {f"{node.name}.{port}" for port in _empty_ports(sight)} if node.only_ports else {node.name}


def _empty_ports(sight: Sight) -> list[str]:
    """Named outputs without a row in the sample, nor in what was counted."""
    name = sight.node.name
    return [port for port in sight.node.ports if _gives_none(sight.at(f"{name}.{port}"))]


def _gives_none(sight: Sight) -> bool:
    """No row of the sample passes; or the run has counted none, and the sample doesn't show one either."""
    if sight.out in sight.passed:
        return False
    kept = sight.rows(sight.out)
    if sight.counted_none:
        return not kept
    return bool(sight.given) and kept is not None and not kept


def _filter(sight: Sight) -> Finding | None:
    node = sight.node
    if not _gives_none(sight):
        return None
    assert isinstance(node.bound, FilterBound)
    fields = sorted(node.bound.where.fields)
    seen = [name for name in fields if sight.given and name not in sight.uncomputed(node.inputs[0])]
    nulls = [name for name in fields if all_null(name, sight.given)]
    failing = failing_column(sight, nulls, f"{node.name} keeps only rows where its condition on it is true.")
    if failing is not None:
        return failing
    return Finding(
        "FILTER_PASSES_NONE",
        "The filter lets nothing through" if sight.is_whole else "The newest rows don't pass the filter",
        f"{_filter_text(sight, nulls)}{sight.rests_on()}",
        ("step", node.name),
        "Compare the condition with the values it sees.",
        (
            text("Condition", node.bound.where.text),
            count("Rows looked at", len(sight.given)),
            *(_values_seen(name, sight.given) for name in seen),
            *sight.facts(),
        ),
        sight.basis,
    )


def _filter_text(sight: Sight, nulls: list[str]) -> str:
    if nulls:
        are = "is" if len(nulls) == 1 else "are"
        return f"{', '.join(nulls)} {are} null in all of the newest rows, and null is not true. "
    computed = sight.given and sight.rows(sight.out) is not None
    return "The condition is true for none of the newest rows. " if computed else ""


def _values_seen(name: str, rows: tuple[SampledRow, ...]) -> Fact:
    """The most frequent values of a field."""
    counted = Counter(_shown(row.values.get(name)) for row in rows)
    shown = [f"{value} ({number})" for value, number in counted.most_common(_TOP)]
    more = len(counted) - _TOP
    return text(f"Values of {name}", ", ".join(shown) + (f", and {more} more" if more > 0 else ""))


def _shown(value: Any) -> str:
    written = "null" if value is None else repr(value) if isinstance(value, str) else str(value)
    return written if len(written) <= 40 else f"{written[:39]}…"


def _branch(sight: Sight) -> Finding | None:
    node, evidence = sight.node, sight.evidence
    used = [
        port
        for port in _empty_ports(sight)
        if not gives_rows(evidence.plan, evidence.reference, {f"{node.name}.{port}"})
    ]
    if not used:
        return None
    assert isinstance(node.bound, BranchBound)
    where = dict(node.bound.branches).get(used[0])
    nulls = [name for name in sorted(where.fields) if all_null(name, sight.given)] if where else []
    branch = sight.at(f"{node.name}.{used[0]}")
    failing = failing_column(branch, nulls, f"{used[0]} gets only rows where its condition on it is true.")
    if failing is not None:
        return failing
    return Finding(
        "BRANCH_GETS_NONE",
        "No row reaches the branch" if branch.is_whole else "None of the newest rows reaches the branch",
        f"No row meets the condition of {used[0]}. {branch.rests_on()}",
        ("step", node.name),
        "Compare the conditions with the values they see.",
        (
            count("Rows looked at", len(sight.given)),
            *_rows_of_ports(sight),
            *branch.facts(),
        ),
        branch.basis,
    )


def _rows_of_ports(sight: Sight) -> Iterator[Fact]:
    """How many of the newest rows reach each named output; nothing of one whose rows aren't known."""
    for port in sight.node.ports:
        rows = sight.rows(f"{sight.node.name}.{port}")
        if sight.given and rows is not None:
            yield count(f"Rows in {port}", len(rows))


def _explode(sight: Sight) -> Finding | None:
    if not _gives_none(sight):
        return None
    assert isinstance(sight.node.bound, ExplodeBound)
    nulls = [sight.node.bound.field] if all_null(sight.node.bound.field, sight.given) else []
    failing = failing_column(sight, nulls, f"{sight.node.name} has nothing to explode.")
    if failing is not None:
        return failing
    return Finding(
        "ARRAYS_EMPTY",
        "There is nothing to explode" if sight.is_whole else "The newest rows have nothing to explode",
        f"The array or map is empty or null. {sight.rests_on()}",
        ("step", sight.node.name),
        "Set “keep rows with an empty array or map”, or check the field.",
        (count("Rows looked at", len(sight.given)), *sight.facts()),
        sight.basis,
    )


_RULES: Final[Mapping[str, Rule]] = {
    "filter": _filter,
    "branch": _branch,
    "explode": _explode,
    "join": join_rules.join,
    "table_join": join_rules.table_join,
}
