"""Functions of JSON texts, which they read and write as Spark does."""

import json
import math
import re
from typing import Any, Final

from jobs.expressions.python_functions.json_reading import Members, read_json
from jobs.expressions.python_functions.python_function import PythonFunction

_STEP: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]|\['([^']*)'\]")
_HALVES: Final = re.compile(r"[\ud800-\udfff]")  # of pairs of surrogates, without the other
_ESCAPED: Final = re.compile(r'[\x00-\x1f"\\\ud800-\udfff\U00010000-\U0010ffff]')
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class _Sign(str):
    """Written as it is."""

    __slots__ = ()


def _read(text: str) -> Any:
    """The value of the text; None where it is none, as for null."""
    try:
        return read_json(text)
    except ValueError:
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
    """Without blanks. It does not call itself: a text may be nested deeper than Python's stack."""
    written: list[str] = []
    left = [value]
    while left:
        match left.pop():
            case _Sign() as sign:
                written.append(sign)
            case Members() as members:
                left.append(_Sign("}"))
                for at, (name, part) in reversed(list(enumerate(members))):
                    left += (part, _Sign(f"{',' if at else ''}{_quoted(name)}:"))
                left.append(_Sign("{"))
            case list() as parts:
                left.append(_Sign("]"))
                for at, part in reversed(list(enumerate(parts))):
                    left += (part, _Sign("," if at else ""))
                left.append(_Sign("["))
            case part:
                written.append(_plainly_written(part))
    return "".join(written)


def _plainly_written(value: Any) -> str:
    match value:
        case float():
            return real_text(value) if math.isfinite(value) else _quoted(real_text(value))
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    """Characters beyond 16 bits as two."""
    sign = found[0]
    if sign in _SHORT:
        return _SHORT[sign]
    units = sign.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _at_path(text: str, path: str) -> str | None:
    try:
        return _along(read_json(text), _STEP.findall(path))
    except ValueError:
        return None


def _along(value: Any, steps: list[tuple[str, str, str]]) -> str | None:
    """The text of what the steps lead to; of equal names the first that has it.

    Raises:
        ValueError: it is a text with half a pair of surrogates.
    """
    if not steps:
        if not isinstance(value, str):
            return _written(value)
        value.encode()
        return value
    (name, index, quoted), *rest = steps
    if index:
        is_there = isinstance(value, list) and not isinstance(value, Members) and int(index) < len(value)
        return _along(value[int(index)], rest) if is_there else None
    if not isinstance(value, Members):
        return None
    ways = (_along(part, rest) for key, part in value if key == (name or quoted) and part is not None)
    return next((found for found in ways if found is not None), None)


def _keys(text: str) -> list[str] | None:
    value = _read(text)
    return [_HALVES.sub("?", name) for name, _ in value] if isinstance(value, Members) else None


def _length(text: str) -> int | None:
    value = _read(text)
    return len(value) if isinstance(value, list) and not isinstance(value, Members) else None


JSONS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "get_json_object": (PythonFunction(_at_path, counts=(2,)),),
    "json_array_length": (PythonFunction(_length),),
    "json_object_keys": (PythonFunction(_keys),),
}
