"""The web service's server, as gunicorn reads it (``gunicorn -c python:weir.project.web_server --bind …``).

A parent loads the application, listens, and forks the process that answers. When that one dies, the parent
forks it again in milliseconds, where a new process takes seconds to load the application, and connections
that arrive meanwhile wait instead of being refused.
"""

import os
import signal
from pathlib import Path
from typing import Any, Final

from django.urls import get_resolver
from gunicorn.arbiter import Arbiter
from uvicorn_worker import UvicornWorker

from jobs.base.garbage import keep_loaded
from weir.project.logs import LOGGING

MAX_HEAD: Final = 65_536  # bytes of a request's line and headers
MAX_MESSAGE: Final = 131_072
"""Bytes of a WebSocket's message from a client, above `weir.live.requests.MAX_FRAME`: one that is a little
too long is answered and ends no connection."""
_PARENT_CHECK_S: Final = 1  # how long a process without its parent keeps the port, at most


class WebWorker(UvicornWorker):  # type: ignore[misc]  # uvicorn-worker has no types
    """uvicorn with Weir's limits, which ends when its parent has died, so that another one can listen."""

    CONFIG_KWARGS: dict[str, Any] = {
        "access_log": False,
        "timeout_notify": _PARENT_CHECK_S,
        "ws_max_size": MAX_MESSAGE,
        # httptools, which uvicorn would take, bounds neither a request's line nor its headers: anybody fills
        # the memory with them.
        "http": "h11",
        "h11_max_incomplete_event_size": MAX_HEAD,
        # uvicorn trusts X-Forwarded-For from loopback; Weir trusts it only as WEIR_NUM_PROXIES says.
        "proxy_headers": False,
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The parent kills at its own limit; before that, clients are told that the server goes away.
        self.config.timeout_graceful_shutdown = max(1, self.cfg.graceful_timeout - 1)

    async def callback_notify(self) -> None:
        """Tell the parent that this process is alive, every `_PARENT_CHECK_S` seconds."""
        await super().callback_notify()
        if os.getppid() != self.ppid:
            os.kill(os.getpid(), signal.SIGTERM)


def when_ready(_arbiter: Arbiter) -> None:
    """Load before the fork what requests would load: the views. What was loaded stays shared memory."""
    load_views()
    keep_loaded()


def load_views() -> None:
    """Load the views of all routes."""
    _load(get_resolver().url_patterns)


def _load(patterns: list[Any]) -> None:
    for pattern in patterns:
        _load(getattr(pattern, "url_patterns", []))


wsgi_app = "weir.project.asgi:application"
preload_app = True
worker_class = "weir.project.web_server.WebWorker"
# One: what a process counts for /metrics is its own. More processes are more containers, or ports.
workers = 1
timeout = 60  # seconds in which the event loop has to turn; a process that hangs is replaced
keepalive = 5  # seconds that an idle HTTP connection stays open
# The sign of life is a file's time; on a disk it could have to wait.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
control_socket_disable = True  # its thread would be in the parent, which forks
loglevel = "warning"
logconfig_dict = {
    **LOGGING,
    "loggers": {
        **LOGGING["loggers"],
        "gunicorn.error": {"handlers": ["stderr"], "propagate": False},
    },
}
