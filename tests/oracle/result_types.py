"""Types of what expressions and measures give, as texts; None where the oracle need not know.

See `docs/semantics/expressions.md` and `docs/semantics/aggregate.md`.
"""

import re
from decimal import Decimal

from tests.oracle.expression_templates import form_of
from tests.oracle.measures import RANKED, names_in, parts_of

Types = dict[str, str | None]

FIXED = {
    **dict.fromkeys(("count", "count_if", "approx_distinct", "distinct"), "long"),
    **dict.fromkeys(("stddev", "variance", "stddev_pop", "var_pop", "corr"), "double"),
    **dict.fromkeys(("any", "all"), "boolean"),
}
AS_ARGUMENT = ("min", "max", "first", "last", "min_by", "max_by", "approx_percentile")


def digits(type_: str | None) -> tuple[int, int] | None:
    """Precision and scale of a decimal."""
    found = re.fullmatch(r"decimal\((\d+), ?(\d+)\)", type_ or "")
    return (int(found[1]), int(found[2])) if found else None


def measure_type(text: str, types: Types) -> str | None:
    """The type of a written measure over rows of these types."""
    name, _, rest = text.partition("(")
    argument = text_type(re.split(r"[,)]", rest)[0].strip(), types)
    if name in FIXED:
        return FIXED[name]
    if name in RANKED:
        inside = [f"{field}:{types.get(field, 'timestamp')}" for field in names_in(parts_of(text)[1][2])]
        return f"array<struct<{','.join(inside)}>>"
    if name == "top_values":
        return argument and f"array<struct<value:{argument},count:long>>"
    if name in AS_ARGUMENT:
        return argument
    if name in ("collect_list", "collect_set"):
        return argument and f"array<{argument}>"
    if name == "percentile":
        return "array<double>" if "[" in text else "double"
    if name in ("sum", "avg"):
        return _total_type(name, argument)
    return None


def text_type(text: str, types: Types) -> str | None:
    """The type of an expression's text."""
    if text.strip("`") in types or text == "_time":
        return types.get(text.strip("`"), "timestamp")
    found = form_of(text)
    if found is None:
        return None
    form, names = found
    return form.gives or product_type(form.text, types.get(names[0]))


def product_type(text: str, type_: str | None) -> str | None:
    """Twice, or a quarter of, a long or decimal."""
    decimal = digits(type_)
    if decimal is None:
        return type_
    precision, scale = decimal
    behind = max(6, scale + 2)
    return (
        f"decimal({precision + 2},{scale})"
        if "*" in text
        else f"decimal({precision - scale + behind},{behind})"
    )


def _total_type(name: str, argument: str | None) -> str | None:
    decimal = digits(argument)
    if decimal:
        precision, scale = decimal
        return (
            f"decimal({min(38, precision + 10)},{scale})"
            if name == "sum"
            else f"decimal({min(38, precision + 4)},{min(38, scale + 4)})"
        )
    if argument in ("int", "long"):
        return "long" if name == "sum" else "double"
    return argument


def difference_type(type_: str | None) -> str | None:
    """The type of the difference of two values of a type of numbers."""
    decimal = digits(type_)
    if decimal is None:
        return type_
    return f"decimal({decimal[0] + 1},{decimal[1]})" if decimal[0] < 38 else None


def zero_of(type_: str | None) -> object:
    """Zero of a type of numbers."""
    decimal = digits(type_)
    return Decimal(0).scaleb(-decimal[1]) if decimal else 0.0 if type_ == "double" else 0


def in_range(value: object, type_: str | None) -> object:
    """The value, or null when it is an integer out of the type's range."""
    bound = {"int": 2**31, "long": 2**63}.get(type_ or "")
    return None if bound and isinstance(value, int) and not -bound <= value < bound else value
