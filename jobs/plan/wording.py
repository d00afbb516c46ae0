"""Sentences about changed parameters."""

from typing import Any


def parameter_sentence(owner: str, name: str, was: Any, now: Any) -> str:
    """``stats: grace is now 5s instead of 2s``; None means that it was, or is, left out."""
    if was is None:
        return f"{owner}: {name} is new: {_shown(now)}."
    if now is None:
        return f"{owner}: {name} is gone (was {_shown(was)})."
    return f"{owner}: {name} is now {_shown(now)} instead of {_shown(was)}."


def _shown(value: Any) -> str:
    """A value on one line, as a person would write it; long ones are cut."""
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{key}: {_shown(part)}" for key, part in value.items() if part is not None) + "}"
    elif isinstance(value, list):
        text = "[" + ", ".join(_shown(part) for part in value) + "]"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    else:
        text = str(value)
    return text if len(text) <= 120 else text[:117] + "…"
