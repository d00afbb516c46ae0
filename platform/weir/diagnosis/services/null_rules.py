"""Expressions that give null: what a later step reads, or what is all that is wrong with the rows."""

from jobs.expressions import Expression
from jobs.operators.projection import ProjectionBound
from jobs.plan.model import Node
from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Finding, count, share, text
from weir.diagnosis.services.source_facts import ALMOST_ALL, SampledRow
from weir.diagnosis.services.step_rows import Found
from weir.diagnosis.services.step_sight import Sight


def _title(sight: Sight) -> str:
    whole = sight.extent(sight.node.name).complete
    return f"An expression gives null for {'every row' if whole else 'the newest rows'}"


def all_null(name: str, rows: tuple[SampledRow, ...]) -> bool:
    """Whether a field is null in every row; False where there is none, or the field isn't computed here."""
    return bool(rows) and all(name in row.values and row.values[name] is None for row in rows)


def failing_column(sight: Sight, nulls: list[str], so: str) -> Finding | None:
    """The column that makes fields null which a step reads: the first on the way whose expression can fail.

    Args:
        sight: of the step.
        nulls: fields that are null in all of its rows.
        so: what the step does with them, as a sentence.
    """
    wanted, found = set(nulls), None
    upstream = sight.evidence.plan.upstream_of(sight.node.inputs[0])
    for above in reversed([node for node in sight.evidence.plan.live_nodes if node.name in upstream]):
        for name, column in _columns(above):
            if name in wanted and all_null(name, sight.rows(above.name) or ()):
                wanted |= column.fields
                found = (above, name, column) if column.failures else found
    if found is None:
        return None
    above, name, column = found
    return Finding(
        "EXPRESSION_NULL",
        _title(sight),
        f"{name} is null in all of the newest rows, because its expression fails or reads nulls; {so} "
        + sight.rests_on(),
        ("step", above.name),
        "Compare the expression with the values of the fields it reads.",
        (text(name, column.text), text("Read by", sight.node.name), *sight.facts()),
        "sample",
    )


def expression_null(evidence: Evidence, found: Found) -> Finding | None:
    """A step whose expressions give null for almost every row, where nothing else holds the rows up.

    Args:
        evidence: of a job whose plan has no errors.
        found: rows of the sample by reference.
    """
    needed = evidence.needed
    for node in evidence.plan.live_nodes:
        if node.name not in needed or not node.inputs:
            continue
        sight = Sight(evidence, found, frozenset(), node, node.name)
        nulls = [name for name, column in _columns(node) if column.failures and all_null(name, _rows(sight))]
        failed = _counted(evidence, node)
        often = bool(sight.read and failed) and (failed or 0) >= ALMOST_ALL * (sight.read or 0)
        if not nulls and not often:
            continue
        texts = {name: column.text for name, column in _columns(node) if name in nulls or not nulls}
        return Finding(
            "EXPRESSION_NULL",
            _title(sight) if nulls else "Expressions give null for almost every row",
            f"Rows pass, but {', '.join(nulls) or 'a field'} of {node.name} is null in them.",
            ("step", node.name),
            "Compare the expression with the values of the fields it reads.",
            (
                *(text(name, written) for name, written in texts.items()),
                *([share("Rows with such a null", failed or 0, sight.read)] if sight.read and failed else []),
                *([count("Rows with such a null, counted", failed)] if failed is not None else []),
                *sight.facts(),
            ),
            "sample" if nulls else "reported",
        )
    return None


def _counted(evidence: Evidence, node: Node) -> int | None:
    """Rows with a null because an expression failed; None: not known, as for one key."""
    counted = evidence.counts.steps.get(node.name)
    if counted is not None:
        return counted.expression_nulls
    return 0 if evidence.counts.batches and not evidence.key else None


def _rows(sight: Sight) -> tuple[SampledRow, ...]:
    return sight.rows(sight.node.name) or ()


def _columns(node: Node) -> tuple[tuple[str, Expression], ...]:
    return node.bound.columns if isinstance(node.bound, ProjectionBound) else ()
