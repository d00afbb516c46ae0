"""Values of Spark and of Python as plain JSON, exact: what golden tables of expressions and records hold."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from jobs.base.instants import instant_of, instant_text


def exact_json(value: Any) -> Any:
    """None, bool and int as they are; everything else as exact text; lists, rows and maps part by part."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return repr(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return instant_text(instant_of(value if value.tzinfo else value.replace(tzinfo=UTC)))
        case date():
            return value.isoformat()
        case bytes() | bytearray():
            return bytes(value).hex()
        case dict():
            return {key: exact_json(part) for key, part in value.items()}
        case list() | tuple():
            return (
                exact_json(value.asDict())
                if hasattr(value, "asDict")
                else [exact_json(part) for part in value]
            )
        case _:
            raise TypeError(type(value).__name__)
