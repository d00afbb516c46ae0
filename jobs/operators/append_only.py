"""The rule that a step needs an append-only input, and what to do where it is given a changelog instead.

See `docs/semantics/identity-and-results.md#emission`.
"""

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.operators.relation import Relation


def require_append_only(
    source: Relation, path: DocumentPath, step: str, name: str = "its input"
) -> list[Problem]:
    """KIND_MISMATCH unless the input is append-only.

    Args:
        source: what flows in.
        path: of the parameter that names it.
        step: how the sentence calls the step, such as ``explode``.
        name: how it calls what flows in.
    """
    if source.kind == "append":
        return []
    if source.aggregate_ref is not None:
        message = f"{step} needs append-only rows; {name} is an aggregate that updates its results."
        return [
            problem(
                "KIND_MISMATCH",
                path,
                message,
                "Set emit: final and a window on the aggregate, or move this step before it.",
            )
        ]
    message = f"{step} needs append-only rows; {name} is a table, whose rows are updated and deleted."
    hint = "Read the topic as a stream, or look up its rows with table_join."
    return [problem("KIND_MISMATCH", path, message, hint)]
