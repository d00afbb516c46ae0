"""Names that users choose, and types of ids."""

import re
from typing import Final, NewType

JobId = NewType("JobId", str)
RunId = NewType("RunId", str)
EngineId = NewType("EngineId", str)
ProblemCode = NewType("ProblemCode", str)

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
NAME_RULE: Final = "a letter, then letters, digits and _ (max 63 characters)"
SYSTEM_FIELDS: Final = ("_time", "_timestamp", "_source", "_partition", "_offset")


def is_name(text: str) -> bool:
    """True when the text may name a step, a source, a field or an output."""
    return NAME.fullmatch(text) is not None


def is_reserved(text: str) -> bool:
    """True for names that start with ``_``, which are reserved (`docs/semantics/time.md#system-fields`)."""
    return text.startswith("_")
