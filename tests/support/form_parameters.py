"""The parameters that a job document may have, with the metadata from which the frontend builds its form.

``python -m tests.support.form_parameters`` writes `frontend/src/composer/operator-parameters.json`;
`make generated` does it too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from jobs.document import document_json_schema
from jobs.operators import OPERATORS
from jobs.operators.parameters import DURATION_PATTERN, Parameters
from weir.embedded.layout import REPOSITORY

FILE: Final[Path] = REPOSITORY / "frontend" / "src" / "composer" / "operator-parameters.json"

_METADATA: Final = ("unit", "types", "entry", "keys", "values", "inline")

Schema = Mapping[str, Any]


def parameters() -> dict[str, Any]:
    """Every parameter by dotted path: of operators with metadata, of other parts with default and options."""
    models = document_json_schema()["$defs"]
    parts = {"source": "SourceRef", "output": "OutputRef", "topic": "TopicTarget", "settings": "Settings"}
    return {
        "summaries": {name: row.summary for name, row in OPERATORS.items()},
        "operators": {name: operator_parameters(row.parameters) for name, row in OPERATORS.items()},
        **{part: dict(_walk(models, models[model], (), _values)) for part, model in parts.items()},
    }


def operator_parameters(step: type[Parameters]) -> dict[str, dict[str, Any]]:
    """Metadata of every parameter of an operator by dotted path.

    `input`, `label`, `help`, `required`, `default`, `options`, `labels` of the options, `example`, and the
    other arguments of `jobs.operators.parameters.parameter`. A member of an optional object is required if
    the object is there.
    """
    schema = step.model_json_schema()
    return _in_order(dict(_walk(schema.get("$defs", {}), schema, (), _metadata)))


def text() -> str:
    """The file's text."""
    return json.dumps(parameters(), indent=1, ensure_ascii=False) + "\n"


def _walk(
    models: Schema, model: Schema, path: tuple[str, ...], describe: Any
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, parameter in model["properties"].items():
        if name == "op":
            continue
        own = (*path, name)
        forms = [parameter, *parameter.get("anyOf", ()), *parameter.get("oneOf", ())]
        required = name in model.get("required", ())
        yield ".".join(own), _without_none(describe(parameter, forms, required))
        for form in forms:
            if "$ref" in form:
                yield from _walk(models, models[_name(form["$ref"])], own, describe)


def _values(parameter: Schema, forms: list[Schema], required: bool) -> dict[str, Any]:
    return {
        "default": parameter.get("default"),
        "options": next((form["enum"] for form in forms if "enum" in form), None),
    }


def _metadata(parameter: Schema, forms: list[Schema], required: bool) -> dict[str, Any]:
    return {
        "input": parameter.get("x-input") or _input(forms),
        "label": parameter["title"],
        "help": parameter.get("description"),
        "required": required or None,
        **_values(parameter, forms, required),
        "labels": parameter.get("x-choices"),
        "example": next(iter(parameter.get("examples", ())), None),
        **{name: parameter.get(f"x-{name}") for name in _METADATA},
    }


def _input(forms: list[Schema]) -> str:
    """The kind of input that a parameter's type asks for."""
    if any("enum" in form for form in forms):
        return "choice"
    if any(form.get("pattern") == DURATION_PATTERN for form in forms):
        return "duration"
    if any("$ref" in form for form in forms):
        return "object"
    kinds = [form["type"] for form in forms if "type" in form]
    if any(isinstance(kind, list) for kind in kinds):
        return "expression"  # a text, or a bare number or truth value
    return {"boolean": "flag", "integer": "integer", "number": "number"}.get(kinds[0], "text")


def _in_order(metadata: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Examples of objects with their members in the order of the model; pydantic sorts them by name."""
    order = list(metadata)
    for path, one in metadata.items():
        if one["input"] == "object" and "example" in one:
            members = sorted(one["example"].items(), key=lambda member: order.index(f"{path}.{member[0]}"))
            one["example"] = dict(members)
    return metadata


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _without_none(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
