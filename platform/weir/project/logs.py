"""Log lines of the platform's processes (`jobs.base.log_lines`)."""

import sys
from pathlib import Path
from typing import Any, Final

import structlog

from jobs.base.log_lines import SHARED_PROCESSORS, log_configuration

_CELERY: Final = ("worker", "beat")
_SERVERS: Final = {"gunicorn", "uvicorn"}  # the latter in `make dev`


def process_name(arguments: list[str]) -> str:
    """What kind of process a command line starts: ``web``, ``worker``, ``beat``, or a command of Django.

    Args:
        arguments: `sys.argv`.
    """
    program = Path(arguments[0]) if arguments else Path()
    if "celery" in (program.name, program.parent.name):
        return next((name for name in _CELERY if name in arguments), "celery")
    if (program.name == "manage.py" or program.parent.name == "django") and len(arguments) > 1:
        return arguments[1]
    return "web" if _SERVERS & {program.name, program.parent.name} else program.stem


LOGGING: Final[dict[str, Any]] = {
    **log_configuration(lambda: process_name(sys.argv)),
    # What a client did wrong is told to the client.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.server": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}

structlog.configure(
    processors=[*SHARED_PROCESSORS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
