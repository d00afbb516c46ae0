"""The log lines of every process: one JSON object a line on standard error, without secrets.

Fields: `time` (UTC), `level`, `logger`, `message`, `process`, and, where they are known, `run`, `epoch`,
`job`, `workspace`, `engine` and `exception`; then what a line says beside. A terminal gets the same as text.
"""

import json
import os
import re
from collections.abc import Callable
from typing import Any, Final

import structlog

from jobs.base.log_format import writes_text
from jobs.base.log_text import FIRST, as_text

HIDDEN: Final = "[hidden]"
_SECRET_KEYS: Final = re.compile(
    r"(?i)password|secret|token|ticket|jaas|sasl|cookie|authorization|credential"
)
_SECRET_TEXT: Final = re.compile(
    r"(?i)(password|sasl\.jaas\.config|token|secret)(\s*[=:]\s*)\S+|://[^/\s:@]*:[^@\s]+@|weir_[0-9a-f]{16,}"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def hide_secrets(text: str) -> str:
    """The text without what looks like a credential, and with control characters encoded."""
    hidden = _SECRET_TEXT.sub(HIDDEN, text)
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", hidden)


def without_secrets(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Hide values under secret names and secret-looking texts; encode control characters."""
    return {
        key: HIDDEN if _SECRET_KEYS.search(key) else hide_secrets(value) if isinstance(value, str) else value
        for key, value in event.items()
    }


SHARED_PROCESSORS: Final[list[Any]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
]
"""What structlog's own loggers and those of the standard library have in common."""


def log_configuration(process: Callable[[], str], **constant: str) -> dict[str, Any]:
    """The configuration of `logging` (`logging.config.dictConfig`): INFO and above, on standard error.

    Args:
        process: what kind of process this is, such as ``web`` or ``engine``; asked for each line, since a
            process that has loaded its settings may be forked for something else.
        constant: fields that every line of the process has.
    """

    def with_fields(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        return {"process": process(), **constant, **event}

    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED_PROCESSORS,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("message"),
            with_fields,
            without_secrets,
            _render_text if writes_text(os.environ) else _render_json,
        ],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
    }


def _render_text(_logger: Any, _method: str, event: dict[str, Any]) -> str:
    return as_text(event)


def _render_json(_logger: Any, _method: str, event: dict[str, Any]) -> str:
    first = {name: event.pop(name) for name in FIRST if name in event}
    return json.dumps(first | event, default=str, ensure_ascii=False)
