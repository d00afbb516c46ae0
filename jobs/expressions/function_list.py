"""The function table as JSON, for the API and the generated page of the docs."""

from typing import Any

from jobs.base.types import Atomic, Decimal, type_text
from jobs.expressions.functions import FUNCTIONS, SPECIAL_FORMS
from jobs.expressions.functions.function import Function, Nulls, Signature, parameter_text


def functions_as_json() -> list[dict[str, Any]]:
    """``[{name, theme, doc, nulls, signatures: [text], examples: [text], aliases}]``, by theme and name."""
    rows = [_row(function) for function in FUNCTIONS.values()]
    rows += [
        {
            "name": name,
            "theme": "form",
            "doc": doc.split(": ", 1)[1],
            "nulls": "",
            "signatures": [doc.split(": ", 1)[0]],
            "examples": [],
            "aliases": [],
        }
        for name, doc in SPECIAL_FORMS.items()
    ]
    return sorted(rows, key=lambda row: (row["theme"], row["name"]))


def _row(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "theme": function.theme,
        "doc": function.doc,
        "nulls": _null_rule(function).value,
        "signatures": list(
            dict.fromkeys(signature_text(function, signature) for signature in function.signatures)
        ),
        "examples": [text for signature in function.signatures for text, _ in signature.examples],
        "aliases": list(function.aliases),
    }


def _null_rule(function: Function) -> Nulls:
    """The rule that holds for all forms: that of errors where one of them may fail."""
    may_fail = any(
        signature.nulls is Nulls.ERROR or callable(signature.nulls) for signature in function.signatures
    )
    return Nulls.ERROR if may_fail else function.nulls


def signature_text(function: Function, signature: Signature) -> str:
    """``round(decimal, digits literal) → decimal``."""
    parameters = ", ".join(parameter_text(parameter) for parameter in signature.parameters)
    more = ", …" if signature.repeats else ""
    result = (
        type_text(signature.result) if isinstance(signature.result, Atomic | Decimal) else "as the arguments"
    )
    return f"{function.name}({parameters}{more}) → {result}"
