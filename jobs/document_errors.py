"""Converts pydantic's errors about an entry of a document into problems, and removes the invalid values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, Discriminator
from pydantic_core import ErrorDetails

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.storable import nul_path
from jobs.document_parts import ONE_SOURCE
from jobs.operators import OPERATORS
from jobs.operators.output_fields import nearest
from jobs.operators.windows import KINDS

_ELSEWHERE: Final = {  # hints for parameters that only other operators have, or that are planned
    "late": (
        "Only aggregate and deduplicate support late: dead_letter; other steps drop late rows and count them."
    ),
    "on_error": (
        "Remove it: failing expressions become null and are counted. To send such rows elsewhere, filter "
        "for null."
    ),
}

_SENTENCES: Final = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be a mapping from names to values",
    "list_type": "must be a list",
    "model_type": "must be a mapping from parameters to values",
    "model_attributes_type": "must be a mapping from parameters to values",
    "none_required": "must be omitted",
    "union_tag_invalid": "has an unsupported form",
}


def _document_path(loc: tuple[str | int, ...], entry: Any) -> DocumentPath:
    """The document path of a pydantic location: without parts that name alternatives of a union instead of
    members of the entry.
    """
    path: list[str] = []
    for part in loc:
        parts = dict(enumerate(entry)) if isinstance(entry, list) else entry
        if isinstance(parts, Mapping) and part in parts:
            entry = parts[part]
            path.append(str(part))
    return tuple(path)


def _without_tag(loc: tuple[str | int, ...], model: type[BaseModel]) -> tuple[str | int, ...]:
    """A pydantic location without the tag that follows the name of a tagged union's field.

    A tag looks like a member of that name: `fields.map.map` is the field `map` of a mapping.
    """
    field = next(
        (field for name, field in model.model_fields.items() if loc and (field.alias or name) == loc[0]), None
    )
    is_tagged = field is not None and any(isinstance(part, Discriminator) for part in field.metadata)
    return (loc[0], *loc[2:]) if is_tagged else loc


@dataclass(frozen=True, slots=True)
class _Invalid:
    """An error that pydantic found, its path in the document, and the model of the entry."""

    detail: ErrorDetails
    path: DocumentPath
    model: type[BaseModel]

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else "The value"

    @property
    def is_own_field(self) -> bool:
        """True for a field of the entry itself."""
        return len(self.detail["loc"]) == 1


def as_problem(detail: ErrorDetails, path: DocumentPath, model: type[BaseModel]) -> Problem:
    """A pydantic error as a problem.

    Args:
        detail: the error.
        path: of the entry in the document.
        model: of the entry.
    """
    field_path = (*path, *map(str, _without_tag(detail["loc"], model)))
    return _PROBLEMS.get(detail["type"], _other_problem)(_Invalid(detail, field_path, model))


def _missing_problem(invalid: _Invalid) -> Problem:
    message = f"{invalid.detail['loc'][-1]} is required."
    return problem("PARAMETER_MISSING", invalid.path, message, _field_hint(invalid))


def _unknown_problem(invalid: _Invalid) -> Problem:
    name = str(invalid.detail["loc"][-1])
    hint = ""
    if invalid.is_own_field:
        known = [field.alias or name for name, field in invalid.model.model_fields.items()]
        hint = _ELSEWHERE.get(name) or nearest(name, known)
    return problem("PARAMETER_RANGE", invalid.path, f"Unknown parameter {name[:80]!r}.", hint)


def _literal_problem(invalid: _Invalid) -> Problem:
    message = f"{str(invalid.detail['input'])[:80]!r} isn't a valid value for {invalid.name}."
    return problem("PARAMETER_RANGE", invalid.path, message, f"Use {invalid.detail['ctx']['expected']}.")


def _size_problem(invalid: _Invalid) -> Problem:
    context, value = invalid.detail["ctx"], invalid.detail["input"]
    given = len(value)  # pydantic does not say it of mappings
    unit = "character" if isinstance(value, str) else "entry" if given == 1 else "entries"
    many = "s" if isinstance(value, str) and given != 1 else ""
    is_short = invalid.detail["type"].endswith("too_short")
    bound = (
        f"the minimum is {context['min_length']:,}" if is_short else f"the limit is {context['max_length']:,}"
    )
    message = f"{invalid.name} has {given:,} {unit}{many}; {bound}."
    return problem("PARAMETER_RANGE", invalid.path, message, _field_hint(invalid))


def _other_problem(invalid: _Invalid) -> Problem:
    sentence = _SENTENCES.get(invalid.detail["type"])
    message = f"{invalid.name} {sentence}." if sentence else f"{invalid.name}: {invalid.detail['msg']}."
    return problem("PARAMETER_RANGE", invalid.path, message)


def _window_problem(invalid: _Invalid) -> Problem:
    value = invalid.detail["input"]
    return problem(
        "PARAMETER_RANGE",
        invalid.path,
        f"{'The window has several kinds' if value else 'The window has no kind'}.",
        f"Use exactly one of {', '.join(KINDS)}, e.g. tumbling: {{size: 10s}} or session: {{gap: 1m}}.",
    )


def _source_problem(invalid: _Invalid) -> Problem:
    path, value = invalid.path, invalid.detail["input"]
    if isinstance(value, Mapping) and value.get("stream") is not None:
        return problem(
            "PARAMETER_RANGE",
            (*path, "table"),
            "A source reads either a stream or a table, not both.",
            "Define two sources.",
        )
    return problem(
        "PARAMETER_MISSING",
        (*path, "stream"),
        "The source has no stream or table.",
        "Example: {stream: trades} or {table: rates}",
    )


_PROBLEMS: Final[dict[str, Callable[[_Invalid], Problem]]] = {
    "missing": _missing_problem,
    "extra_forbidden": _unknown_problem,
    "literal_error": _literal_problem,
    "one_window": _window_problem,
    ONE_SOURCE: _source_problem,
    "too_short": _size_problem,
    "string_too_short": _size_problem,
    "string_too_long": _size_problem,
    "too_long": _size_problem,
}
"""By pydantic's type of error, and those of our own validators."""


def _field_hint(invalid: _Invalid) -> str:
    if invalid.is_own_field:
        for row in OPERATORS.values():
            if row.parameters is invalid.model:
                return f"Example: {row.example}"
    return ""


def without_errors(
    entry: Mapping[str, Any], details: list[ErrorDetails], model: type[BaseModel]
) -> dict[str, Any]:
    """A copy of the entry without the values that pydantic found invalid."""
    rest: dict[str, Any] = _copy(entry)
    paths = {
        _document_path(_without_tag(detail["loc"], model), entry)
        for detail in details
        if detail["type"] != "missing"
    }
    # Inner values before outer ones, and later items of a list first, so that earlier items keep their index.
    for path in sorted(paths, key=_in_document_order, reverse=True):
        _remove(rest, path)
    return rest


def _in_document_order(path: DocumentPath) -> list[tuple[bool, int | str]]:
    return [(part.isdecimal(), int(part) if part.isdecimal() else part) for part in path]


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(part) for key, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def _remove(entry: Any, path: DocumentPath) -> None:
    for part in path[:-1]:
        entry = entry[part] if isinstance(entry, dict) else entry[int(part)]
        if not isinstance(entry, dict | list):
            return
    if not path:
        return
    if isinstance(entry, dict):
        entry.pop(path[-1], None)
    elif int(path[-1]) < len(entry):
        del entry[int(path[-1])]


def unstorable(value: Any) -> list[Problem]:
    """PARAMETER_RANGE where a text of a document has a NUL character, which PostgreSQL can't store."""
    path = nul_path(value)
    if path is None:
        return []
    return [problem("PARAMETER_RANGE", path, "The text contains the character U+0000.", "Remove it.")]
