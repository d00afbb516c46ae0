"""The rule that a step needs an append-only input, with a hint for what to do about a changelog.

See `docs/semantics/identity-and-results.md#emission`.
"""

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.operators.relation import Relation


def require_append_only(
    source: Relation, path: DocumentPath, step: str, name: str = "its input"
) -> list[Problem]:
    """KIND_MISMATCH unless the input is append-only.

    Args:
        source: the input.
        path: of the parameter that names the input.
        step: what the message calls the step, such as ``explode``.
        name: what the message calls the input.
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
