"""Settings that contradict each other, or that nothing reads."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from weir.workspaces.services.quotas import NAMES


def proxies_are_counted(app_configs: Sequence[Any] | None = None, **_: Any) -> list[CheckMessage]:  # noqa: ARG001 - Django's signature
    """Behind a proxy that is not counted all clients have the proxy's address, and one
    of them can lock out all.
    """
    if not settings.BEHIND_TLS or settings.NUM_PROXIES:
        return []
    hint = "Set WEIR_NUM_PROXIES to the number of proxies in front of Weir that add to X-Forwarded-For."
    return [
        Warning(
            "WEIR_BEHIND_TLS is set, but WEIR_NUM_PROXIES is 0: all clients share one address.",
            hint=hint,
            id="weir.W001",
        )
    ]


def quotas_are_known(app_configs: Sequence[Any] | None = None, **_: Any) -> list[CheckMessage]:  # noqa: ARG001 - Django's signature
    """A misspelled quota would bound nothing."""
    unknown = sorted(set(settings.QUOTAS) - set(NAMES))
    hint = f"WEIR_QUOTAS knows {', '.join(NAMES)}."
    return [Error(f"WEIR_QUOTAS names {name!r}.", hint=hint, id="weir.E001") for name in unknown]
