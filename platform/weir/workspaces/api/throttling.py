"""Rates of requests, counted in Valkey by all web processes together."""

import logging
import time
from typing import Any, Final

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from weir.workspaces.api.client_address import client_address

_LOG: Final = logging.getLogger(__name__)
PERIOD_S: Final = 60


def seconds_to_wait(scope: str, request: HttpRequest, user_id: int | None = None) -> float | None:
    """Count a request; None while there are fewer in this minute than `settings.RATES_PER_MINUTE` allows.

    While Valkey is away nothing is refused: these rates spare the machine, and wrong passwords are counted in
    the database (`lockout.py`).

    Args:
        scope: a name in `RATES_PER_MINUTE`.
        request: says the address.
        user_id: counts by user instead of address.
    """
    now = time.time()
    who = f"address:{client_address(request)}" if user_id is None else f"user:{user_id}"
    try:
        count = _counted(f"rate:{scope}:{who}:{int(now // PERIOD_S)}")
    except RedisError as error:
        _LOG.warning("requests are not counted: %s", type(error).__name__)
        return None
    return None if count <= settings.RATES_PER_MINUTE[scope] else PERIOD_S - now % PERIOD_S


def _counted(key: str) -> int:
    """Add one to a counter that is forgotten after its period; simultaneous requests all count."""
    cache: Any = caches["shared"]
    cache.add(key, 0, PERIOD_S + 1)
    try:
        return int(cache.incr(key))
    except ValueError:  # it was forgotten between the two lines: the next period has begun
        return 1


class SharedThrottle(BaseThrottle):
    """Bounds a view's requests by its ``throttle_scope``: by person, or by address where nobody is signed in.

    A view may say ``throttle_methods`` (all without it) and ``throttle_addresses`` (True: by
    address, whoever is signed in).
    """

    def __init__(self) -> None:
        self._wait_s: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """False when the minute's requests are used up."""
        scope: str | None = getattr(view, "throttle_scope", None)
        if scope is None or request.method not in getattr(view, "throttle_methods", (request.method,)):
            return True
        by_person = request.user.is_authenticated and not getattr(view, "throttle_addresses", False)
        self._wait_s = seconds_to_wait(scope, request._request, request.user.pk if by_person else None)
        return self._wait_s is None

    def wait(self) -> float | None:
        """Seconds until the next minute."""
        return self._wait_s
