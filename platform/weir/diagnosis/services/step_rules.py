"""Causes that lie with steps, found with the newest records of the sources."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from jobs.operators.filter_bound import FilterBound
from jobs.operators.join_bound import JoinBound
from jobs.operators.projection import ProjectionBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.evidence import Evidence, SampledRow
from weir.diagnosis.services.finding import Fact, Finding, count, seconds, share, text
from weir.diagnosis.services.key_matches import KeyMatches, key_matches
from weir.diagnosis.services.row_paths import gives_rows
from weir.diagnosis.services.step_rows import StepRows

Found = Mapping[str, StepRows]
Rule = Callable[[Evidence, Found, Node], Finding | None]

_TOP: Final = 5
_OFTEN: Final = 0.98


def step_cause(evidence: Evidence, found: Found) -> Finding | None:
    """The first step that lets nothing of the sample through, if the result needs it.

    Args:
        evidence: of a job whose plan has no errors.
        found: rows of the sample by reference (`step_rows.rows_through`).
    """
    plan = evidence.plan
    silent: set[str] = set()
    first: Finding | None = None
    for node in plan.live_nodes:
        rule = _RULES.get(node.op)
        cause = rule(evidence, found, node) if rule else None
        if cause is not None:
            silent |= _silenced(found, node)
            first = first or cause
            if not gives_rows(plan, plan.outputs[0], silent):
                return first
    return None


def _silenced(found: Found, node: Node) -> set[str]:
    """References of a step that give nothing: its empty ports, or all of it."""
    ports = {f"{node.name}.{port}" for port in node.ports}
    empty = {port for port in ports if (rows := found.get(port)) is not None and rows.count == 0}
    return empty if node.only_ports else {node.name}


def _rows(found: Found, reference: str) -> tuple[SampledRow, ...] | None:
    rows = found.get(reference)
    return None if rows is None else rows.rows


def _lets_none_through(found: Found, node: Node) -> bool:
    given, kept = _rows(found, node.inputs[0]), _rows(found, node.name)
    return bool(given) and kept is not None and not kept


def _filter(evidence: Evidence, found: Found, node: Node) -> Finding | None:
    if not _lets_none_through(found, node):
        return None
    assert isinstance(node.bound, FilterBound)
    given = _rows(found, node.inputs[0]) or ()
    fields = sorted(node.bound.where.fields)
    nulls = [name for name in fields if all(row.values.get(name) is None for row in given)]
    failing = _failing_column(evidence.plan, node, nulls)
    if failing is not None:
        return failing
    return Finding(
        "FILTER_PASSES_NONE",
        "The filter lets nothing through",
        _filter_text(nulls),
        ("step", node.name),
        "Compare the condition with the values it sees.",
        (
            text("Condition", node.bound.where.text),
            count("Rows looked at", len(given)),
            *(_values_seen(name, given) for name in fields),
        ),
        "sample",
    )


def _filter_text(nulls: list[str]) -> str:
    if nulls:
        return f"{', '.join(nulls)} is null in all of the newest rows, and null is not true."
    return "The condition is true for none of the newest rows."


def _values_seen(name: str, rows: tuple[SampledRow, ...]) -> Fact:
    """The most frequent values of a field."""
    counted = Counter(_shown(row.values.get(name)) for row in rows)
    shown = [f"{value} ({number})" for value, number in counted.most_common(_TOP)]
    more = len(counted) - _TOP
    return text(f"Values of {name}", ", ".join(shown) + (f", and {more} more" if more > 0 else ""))


def _shown(value: Any) -> str:
    written = "null" if value is None else repr(value) if isinstance(value, str) else str(value)
    return written if len(written) <= 40 else f"{written[:39]}…"


def _failing_column(plan: Plan, node: Node, nulls: list[str]) -> Finding | None:
    """The column that gives one of these fields, where its expression can fail."""
    for above in plan.live_nodes:
        if above.name not in plan.upstream_of(node.inputs[0]) or not isinstance(above.bound, ProjectionBound):
            continue
        for name, column in above.bound.columns:
            if name in nulls and column.failures:
                return Finding(
                    "EXPRESSION_NULL",
                    "An expression gives null for every row",
                    f"{name} is null in all of the newest rows, because its expression fails or reads nulls; "
                    f"{node.name} keeps only rows where its condition on {name} is true.",
                    ("step", above.name),
                    "Compare the expression with the values of the fields it reads.",
                    (text(name, column.text), text("Read by", node.name)),
                    "sample",
                )
    return None


def _branch(evidence: Evidence, found: Found, node: Node) -> Finding | None:
    given = _rows(found, node.inputs[0])
    empty = [port for port in node.ports if _rows(found, f"{node.name}.{port}") == ()]
    used = [
        port
        for port in empty
        if not gives_rows(evidence.plan, evidence.plan.outputs[0], {f"{node.name}.{port}"})
    ]
    if not given or not used:
        return None
    counted = [
        count(f"Rows in {port}", len(_rows(found, f"{node.name}.{port}") or ())) for port in node.ports
    ]
    return Finding(
        "BRANCH_GETS_NONE",
        "No row reaches the branch",
        f"None of the newest rows meets the condition of {used[0]}.",
        ("step", node.name),
        "Compare the conditions with the values they see.",
        (count("Rows looked at", len(given)), *counted),
        "sample",
    )


def _explode(evidence: Evidence, found: Found, node: Node) -> Finding | None:  # noqa: ARG001
    if not _lets_none_through(found, node):
        return None
    given = _rows(found, node.inputs[0]) or ()
    return Finding(
        "ARRAYS_EMPTY",
        "There is nothing to explode",
        "The array or map is empty or null in all of the newest rows.",
        ("step", node.name),
        "Set “keep rows with an empty array or map”, or check the field.",
        (count("Rows looked at", len(given)),),
        "sample",
    )


def _join(evidence: Evidence, found: Found, node: Node) -> Finding | None:  # noqa: ARG001
    bound = node.bound
    assert isinstance(bound, JoinBound)
    sides = _sides(found, node)
    if bound.type not in ("inner", "semi") or sides is None:
        return None
    matches = key_matches(bound.on, *sides)
    if matches.common == 0:
        return _no_partner(node, matches, "JOIN_NO_PARTNER", "No row finds a partner")
    nearest = matches.nearest_us
    if bound.before is None or bound.after is None or nearest is None:
        return None
    if -bound.before.us <= nearest <= bound.after.us:
        return None
    return Finding(
        "JOIN_TIMES_APART",
        "Partners are too far apart in time",
        "Keys meet, but no two rows of a key are within the time limits of the join.",
        ("step", node.name),
        "Widen the limits, or check the event times of both sides.",
        (
            count("Keys in common", matches.common),
            seconds("Nearest pair, right after left", nearest),
            text("Allowed", f"{bound.before} before to {bound.after} after"),
        ),
        "sample",
    )


def _table_join(evidence: Evidence, found: Found, node: Node) -> Finding | None:  # noqa: ARG001
    bound = node.bound
    assert isinstance(bound, TableJoinBound)
    sides = _sides(found, node)
    if bound.type != "inner" or sides is None:
        return None
    matches = key_matches(bound.on, *sides)
    if matches.common:
        return None
    return _no_partner(node, matches, "TABLE_KEY_NEVER_MATCHES", "No row has an entry in the table")


def _sides(found: Found, node: Node) -> tuple[tuple[SampledRow, ...], tuple[SampledRow, ...]] | None:
    """Rows of both sides; None where one is unknown or empty."""
    left, right = (_rows(found, reference) for reference in node.inputs)
    return (left, right) if left and right else None


def _no_partner(node: Node, matches: KeyMatches, code: str, title: str) -> Finding:
    lefts, rights = matches.examples
    facts = [
        count("Keys on the left", matches.left),
        count("Keys on the right", matches.right),
        text("Left keys", "; ".join(lefts)),
        text("Right keys", "; ".join(rights)),
    ]
    if matches.left_nulls:
        facts.append(share("Left rows with a null key", matches.left_nulls, matches.left_rows))
    if matches.left_nulls >= _OFTEN * matches.left_rows:
        return Finding(
            "JOIN_KEYS_NULL",
            "The join key is null",
            "Null equals nothing, so these rows meet nobody.",
            ("step", node.name),
            "Check the key fields of the left side.",
            tuple(facts),
            "sample",
        )
    if matches.near is not None:
        difference, left, right = matches.near
        return Finding(
            "JOIN_KEYS_DIFFER",
            "Keys differ in their writing",
            f"No key of one side equals one of the other; some differ only in {difference}.",
            ("step", node.name),
            "Bring both sides to one form with a derive step before the join.",
            (text("One on the left", left), text("One on the right", right), *facts),
            "sample",
        )
    return Finding(
        code,
        title,
        "None of the newest keys of one side is among the newest of the other.",
        ("step", node.name),
        "Check that both sides have the same key, of the same time.",
        tuple(facts),
        "sample",
    )


_RULES: Final[Mapping[str, Rule]] = {
    "filter": _filter,
    "branch": _branch,
    "explode": _explode,
    "join": _join,
    "table_join": _table_join,
}
