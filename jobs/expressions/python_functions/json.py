"""Functions of JSON texts. Of equal keys the first counts, as in Spark."""

import json
import re
from typing import Any, Final

from jobs.expressions.python_functions.python_function import PythonFunction

_STEP: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]|\['([^']*)'\]")


def _first_of_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_first_of_keys)


def _read(text: str) -> Any:
    """The value of the text; None where it is none, as for null."""
    try:
        return _DECODER.raw_decode(text.lstrip(" \t\r\n"))[0]
    except (ValueError, RecursionError):
        return None


def real_text(value: float) -> str:
    """A double as Java writes it."""
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    digits, exponent = _digits(value)
    sign = "-" if str(value).startswith("-") else ""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return sign + _plain(digits, exponent)
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def _digits(value: float) -> tuple[str, int]:
    """Shortest digits and the exponent of the first."""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    front, _, back = mantissa.partition(".")
    digits = (front + back).lstrip("0")
    exponent = int(power or 0) + (
        len(front) - 1 if front.strip("0") else -(len(back) - len(back.lstrip("0"))) - 1
    )
    return digits.rstrip("0") or "0", exponent if digits else 0


def _plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    padded = digits.ljust(exponent + 1, "0")
    return f"{padded[: exponent + 1]}.{padded[exponent + 1 :] or '0'}"


def _written(value: Any) -> str:
    """Without blanks."""
    match value:
        case dict():
            return "{" + ",".join(f"{_quoted(key)}:{_written(part)}" for key, part in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_written, value)) + "]"
        case float():
            return real_text(value)
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _at_path(text: str, path: str) -> str | None:
    value = _read(text)
    for name, index, quoted in _STEP.findall(path):
        if index:
            value = value[int(index)] if isinstance(value, list) and int(index) < len(value) else None
        else:
            value = value.get(name or quoted) if isinstance(value, dict) else None
    if value is None:
        return None
    return value if isinstance(value, str) else _written(value)


def _keys(text: str) -> list[str] | None:
    value = _read(text)
    return list(value) if isinstance(value, dict) else None


def _length(text: str) -> int | None:
    value = _read(text)
    return len(value) if isinstance(value, list) else None


JSONS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "get_json_object": (PythonFunction(_at_path, counts=(2,)),),
    "json_array_length": (PythonFunction(_length),),
    "json_object_keys": (PythonFunction(_keys),),
}
