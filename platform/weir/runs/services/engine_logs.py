"""The files that engines of this host write their output to."""

import os
import shutil
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings

from weir.retention import ENGINE_LOG_BYTES

_EARLIER: Final = ".1"

_LOG: Final = structlog.get_logger(__name__)


def engine_log(engine_id: str) -> Path:
    """Where an engine's output goes."""
    return _folder() / f"{engine_id}.log"


def delete_engine_log(engine_id: str) -> None:
    """Delete what an engine has written."""
    log = engine_log(engine_id)
    for file in (log, _earlier(log)):
        file.unlink(missing_ok=True)


def shorten_engine_logs() -> None:
    """Begin each log anew that has grown too long; its end so far is kept beside it until the next time.

    An engine keeps its file open for months and appends to it, so the file is emptied in place. What it
    writes between copying and emptying is lost.
    """
    for log in _folder().glob("*.log"):
        try:
            if log.stat().st_size > ENGINE_LOG_BYTES:
                _shorten(log)
        except FileNotFoundError:  # the engine was deleted meanwhile
            continue


def _shorten(log: Path) -> None:
    try:
        shutil.copyfile(log, _earlier(log))
    except OSError as error:  # of a full disk most likely, to which this log may have led
        _LOG.warning("an engine's log is emptied without a copy", log=str(log), error=str(error))
        _earlier(log).unlink(missing_ok=True)
    os.truncate(log, 0)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "logs" / "engines"


def _earlier(log: Path) -> Path:
    return log.with_name(log.name + _EARLIER)
