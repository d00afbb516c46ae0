"""Whether a process writes its log as JSON or as text."""

import sys
from collections.abc import Mapping
from typing import Final

VARIABLE: Final = "WEIR_LOG_FORMAT"
"""The environment variable that chooses: ``json`` or ``text``. Without it a terminal gets text, else JSON."""


def writes_text(environment: Mapping[str, str]) -> bool:
    """Whether lines on standard error are text.

    Args:
        environment: of the process.
    """
    chosen = environment.get(VARIABLE, "")
    return chosen == "text" or (chosen != "json" and sys.stderr is not None and sys.stderr.isatty())
