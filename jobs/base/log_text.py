"""Log lines as a person reads them.

Without the library that writes them: a command that shows them begins at once.
"""

import json
from collections.abc import Mapping
from typing import Final

FIRST: Final = ("time", "level", "logger", "message")
"""The fields with which each line begins, in this order."""


def readable(line: str) -> str:
    """A line of a log file as a person reads it; a line that is not ours stays as it is."""
    if not line.startswith("{"):
        return line
    try:
        event = json.loads(line)
    except ValueError:
        return line
    return as_text(event) if isinstance(event, dict) and "message" in event else line


def as_text(event: Mapping[str, object]) -> str:
    """A line's fields as text; the exception comes below."""
    time, level, logger, message = (str(event.get(name, "")) for name in FIRST)
    rest = " ".join(
        f"{key}={value}" for key, value in event.items() if key not in (*FIRST, "process", "exception")
    )
    head = f"{time} {level.upper()} {logger}: {message}" + (f"  {rest}" if rest else "")
    exception = event.get("exception")
    return f"{head}\n{exception}" if exception else head
