"""Every parameter of every operator says what the form and the operator's page need."""

from typing import Annotated, Any, Literal

import pytest

from jobs.operators import OPERATORS
from jobs.operators.parameters import DurationText, InputText, NameText, Parameters, parameter
from tests.support.form_parameters import operator_parameters

PARAMETERS = {
    f"{op}: {path}": metadata
    for op, row in OPERATORS.items()
    for path, metadata in operator_parameters(row.parameters).items()
}


@pytest.mark.parametrize("metadata", PARAMETERS.values(), ids=PARAMETERS)
def test_a_parameter_has_a_label_and_a_short_help(metadata: dict[str, Any]) -> None:
    help_text = metadata.get("help", "")
    assert metadata["label"]
    assert 0 < len(help_text) <= 110
    assert not help_text.endswith(".")


@pytest.mark.parametrize("metadata", PARAMETERS.values(), ids=PARAMETERS)
def test_a_parameter_has_an_example_or_options(metadata: dict[str, Any]) -> None:
    assert "example" in metadata or "options" in metadata or metadata["input"] == "flag"


@pytest.mark.parametrize("metadata", PARAMETERS.values(), ids=PARAMETERS)
def test_labels_are_of_the_options_and_of_all(metadata: dict[str, Any]) -> None:
    if "labels" in metadata:
        assert set(metadata["labels"]) == set(metadata["options"])


@pytest.mark.parametrize("metadata", PARAMETERS.values(), ids=PARAMETERS)
def test_entries_have_a_noun_and_kinds(metadata: dict[str, Any]) -> None:
    if metadata["input"] == "mapping":
        assert metadata["entry"]
        assert {"keys", "values"} <= set(metadata)
        assert len(metadata["example"]) == 1
    if metadata["input"] == "columns":
        assert metadata["entry"]


class ThrottleStep(Parameters):
    """A made-up operator."""

    op: Literal["throttle"]
    input: InputText
    by: Annotated[list[NameText], parameter("Key fields", "Rows per key", example=["id"], input="fields")]
    every: Annotated[
        DurationText,
        parameter("Interval", "At most one row per key in this time", example="10s", inline=True),
    ]
    pass_: Annotated[
        Literal["first", "last"],
        parameter("Row to keep", "Which row passes", choices={"first": "The first", "last": "The last"}),
    ] = "first"


def test_the_metadata_of_a_made_up_operator() -> None:
    parameters = operator_parameters(ThrottleStep)
    assert list(parameters) == ["input", "by", "every", "pass_"]
    assert parameters["by"] == {
        "input": "fields",
        "label": "Key fields",
        "help": "Rows per key",
        "required": True,
        "example": ["id"],
    }
    assert parameters["every"] == {
        "input": "duration",
        "label": "Interval",
        "help": "At most one row per key in this time",
        "required": True,
        "example": "10s",
        "inline": True,
    }
    assert parameters["pass_"] == {
        "input": "choice",
        "label": "Row to keep",
        "help": "Which row passes",
        "default": "first",
        "options": ["first", "last"],
        "labels": {"first": "The first", "last": "The last"},
    }
