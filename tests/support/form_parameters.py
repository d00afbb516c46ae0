"""The parameters that a job document may have, for the frontend's test of its form.

``python -m tests.support.form_parameters`` writes `frontend/src/composer/operator-parameters.json`; `make generated` does it too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from jobs.document import document_json_schema
from weir.embedded.layout import REPOSITORY

FILE: Final[Path] = REPOSITORY / "frontend" / "src" / "composer" / "operator-parameters.json"


def parameters() -> dict[str, Any]:
    """Every parameter by dotted path, with its default and what may be chosen, of each operator and of the other parts."""
    schema = document_json_schema()
    models = schema["$defs"]
    steps = schema["properties"]["steps"]["additionalProperties"]["discriminator"]["mapping"]
    parts = {"source": "SourceRef", "output": "OutputRef", "topic": "TopicTarget", "settings": "Settings"}
    return {
        "operators": {op: _of_model(models, models[place.rpartition("/")[2]]) for op, place in steps.items()},
        **{part: _of_model(models, models[model]) for part, model in parts.items()},
    }


def text() -> str:
    """The file's text."""
    return json.dumps(parameters(), indent=1) + "\n"


def _of_model(models: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_walk(models, model, ()))


def _walk(models: Mapping[str, Any], model: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, parameter in model["properties"].items():
        path = (*above, name)
        if name == "op":
            continue
        forms = [parameter, *parameter.get("anyOf", ()), *parameter.get("oneOf", ())]
        said = {"default": parameter.get("default"), "options": next((form["enum"] for form in forms if "enum" in form), None)}
        yield ".".join(path), {what: value for what, value in said.items() if value is not None}
        for form in forms:
            if "$ref" in form:
                yield from _walk(models, models[form["$ref"].rpartition("/")[2]], path)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
