"""Texts that a database holds: PostgreSQL has no NUL character, in columns of text and JSON alike."""

from collections.abc import Mapping
from typing import Any, Final

NUL: Final = "\0"
_SHOWN: Final = "\ufffd"


def nul_path(value: Any) -> tuple[str, ...] | None:
    """Where plain values first have a NUL, in a text or a key.

    Args:
        value: JSON values, nested to any depth.

    Returns:
        The path of the text, or of the value whose key it is; None: there is none.
    """
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while waiting:
        path, found = waiting.pop()
        if isinstance(found, str) and NUL in found:
            return path
        if isinstance(found, Mapping):
            if any(isinstance(name, str) and NUL in name for name in found):
                return path
            waiting += [((*path, str(name)), inner) for name, inner in reversed(list(found.items()))]
        elif isinstance(found, list):
            waiting += [((*path, str(at)), inner) for at, inner in reversed(list(enumerate(found)))]
    return None


def without_nul(value: Any) -> Any:
    """Plain values with U+FFFD for each NUL of their texts and keys, for what others wrote and we show."""
    if isinstance(value, str):
        return value.replace(NUL, _SHOWN)
    if isinstance(value, Mapping):
        return {without_nul(name): without_nul(inner) for name, inner in value.items()}
    return [without_nul(inner) for inner in value] if isinstance(value, list) else value
