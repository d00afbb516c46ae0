"""Log lines: one per event, on standard error, without secrets."""

import re
from typing import Any, Final

import structlog

_SECRET_KEYS: Final = re.compile(
    r"(?i)password|secret|token|ticket|jaas|sasl|cookie|authorization|credential"
)
_SECRET_TEXT: Final = re.compile(
    r"(?i)(password|sasl\.jaas\.config|token|secret)(\s*[=:]\s*)\S+|://[^/\s:@]*:[^@\s]+@|weir_[0-9a-f]{16,}"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
HIDDEN: Final = "[hidden]"


def without_secrets(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Hide values under secret names and secret-looking texts; encode control characters."""
    return {key: HIDDEN if _SECRET_KEYS.search(key) else _clean(value) for key, value in event.items()}


def _clean(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    hidden = _SECRET_TEXT.sub(HIDDEN, value)
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", hidden)


_SHARED: Final[list[Any]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]

LOGGING: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _SHARED,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                without_secrets,
                structlog.processors.KeyValueRenderer(
                    key_order=["timestamp", "level", "logger", "event"], drop_missing=True
                ),
            ],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # What a client did wrong is told to the client.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.server": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}

structlog.configure(
    processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
