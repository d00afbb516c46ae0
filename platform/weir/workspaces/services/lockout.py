"""How wrong passwords are counted: by django-axes, in the database, so that all web
processes count together.
"""

from typing import Any, Final

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from django.db.models import Sum
from django.http import HttpRequest

# Wrong passwords within `AXES_COOLOFF_TIME`, in the order of `AXES_LOCKOUT_PARAMETERS`. One address cannot
# lock a person out everywhere: that takes five.
FROM_ONE_ADDRESS: Final = 10  # for one account
FOR_ONE_ACCOUNT: Final = 50  # from all addresses
BY_ONE_ADDRESS: Final = 50  # for all accounts
_SHARES: Final = (1.0, FROM_ONE_ADDRESS / FOR_ONE_ACCOUNT, FROM_ONE_ADDRESS / BY_ONE_ADDRESS)


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Axes' own, with a limit for each way of counting instead of one for all."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """How near the fullest count is to its limit, in units of `FROM_ONE_ADDRESS`."""
        counts = [
            attempts.aggregate(n=Sum("failures_since_start"))["n"] or 0
            for attempts in self.get_user_attempts(request, credentials)
        ]
        return int(max(count * share for count, share in zip(counts, _SHARES, strict=True)))

    def reset_user_attempts(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """After the right password, forget the wrong ones for this account from this address, and no others.

        Axes would forget all of the address as well: a sign-in with an account of one's own, now and then,
        would let one guess those of others without end.
        """
        own = AccessAttempt.objects.filter(
            username=(credentials or {}).get("username"),
            ip_address=request.axes_ip_address,  # type: ignore[attr-defined]  # set by Axes
        )
        return int(own.delete()[0])
