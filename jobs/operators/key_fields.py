"""Checks of fields that form a key: they exist, have a key type and are listed once."""

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.types import is_key_type, type_text
from jobs.operators.expression_checks import field_over
from jobs.operators.relation import Relation


def check_key_fields(source: Relation, names: list[str], path: DocumentPath) -> tuple[list[Problem], bool]:
    """Return the problems of the key fields (FIELD_UNKNOWN, KEY_TYPE, NAME_TAKEN), and whether every field
    is known with its type.
    """
    problems: list[Problem] = []
    complete = True
    for at, name in enumerate(names):
        field_path = (*path, str(at))
        field, found = field_over(source, name, field_path)
        problems += found
        complete = complete and field is not None
        if name in names[:at]:
            problems.append(
                problem("NAME_TAKEN", field_path, f"{name} is listed twice.", "List each field once.")
            )
        if field is not None and not is_key_type(field.type):
            message = f"{name} is {type_text(field.type)}, which can't be part of a key."
            problems.append(
                problem("KEY_TYPE", field_path, message, "Round it, or cast it to decimal, long or string.")
            )
    return problems, complete
