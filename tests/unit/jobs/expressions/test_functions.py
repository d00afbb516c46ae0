"""The function table holds together: names, examples of every form, the page in the docs."""

import re
from pathlib import Path

import pytest

from jobs.base.schemas import Schema
from jobs.base.types import Atomic, Decimal, type_text
from jobs.expressions import FUNCTIONS, check_expression, functions_as_json
from jobs.expressions.foreign_functions import REPLACEMENTS
from jobs.expressions.functions import ALIASES, NONDETERMINISTIC, SPECIAL_FORMS
from jobs.expressions.functions.function import Function, Signature
from jobs.expressions.reference import reference_markdown

FORMS = [(function, form) for function in FUNCTIONS.values() for form in function.signatures]
DOCS = Path(__file__).parents[4] / "docs" / "reference" / "expressions.md"


def test_names_are_unique() -> None:
    names = [*FUNCTIONS, *ALIASES, *SPECIAL_FORMS]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)
    assert not NONDETERMINISTIC & set(names)


@pytest.mark.parametrize(
    ("function", "form"), FORMS, ids=[f"{f.name}/{len(s.parameters)}/{i}" for i, (f, s) in enumerate(FORMS)]
)
def test_every_form_has_examples_that_use_it(function: Function, form: Signature) -> None:
    assert function.doc.endswith(".") or "…" in function.doc
    assert form.examples
    for text, _ in form.examples:
        expression, problems = check_expression(text, Schema(()), ())
        assert problems == []
        assert expression is not None
        assert (
            expression.failures == () or expression.nullable or function.theme == "lambda"
        )  # an element may fail, not the array
        if isinstance(form.result, Atomic | Decimal):
            assert expression.type == form.result, type_text(expression.type)


def test_names_of_other_engines_are_answered_with_names_that_exist() -> None:
    known = {*FUNCTIONS, *ALIASES, *SPECIAL_FORMS, "decimal"}
    assert not (known - {"decimal"} | NONDETERMINISTIC) & set(REPLACEMENTS)
    named = {name for hint in REPLACEMENTS.values() for name in re.findall(r"([a-z0-9_]+)\(", hint)}
    assert named <= known


def test_the_table_as_json() -> None:
    rows = {row["name"]: row for row in functions_as_json()}
    assert set(rows) == {*FUNCTIONS, *SPECIAL_FORMS}
    assert rows["upper"] == {
        "name": "upper",
        "theme": "text",
        "doc": "Uppercase.",
        "nulls": "null when an argument is null",
        "signatures": ["upper(string) → string"],
        "examples": ["upper('aBc')"],
        "aliases": ["ucase"],
    }


def test_a_function_of_which_a_form_may_fail_says_so() -> None:
    nulls = {row["name"]: row["nulls"] for row in functions_as_json()}
    for name in ("abs", "ceil", "round", "date_trunc", "to_date", "last_day", "replace"):
        assert nulls[name].endswith("when the value cannot be computed (counted as an error)"), name
    assert nulls["upper"] == "null when an argument is null"


def test_the_page_in_the_docs_is_up_to_date() -> None:
    """If not: python -m jobs.expressions.reference docs/reference/expressions.md."""
    assert DOCS.read_text(encoding="utf-8") == reference_markdown()
