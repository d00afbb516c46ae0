"""When API tokens expire: of each member the first, without its name, which is the member's own."""

from datetime import datetime, timedelta
from typing import Final

from weir.alerts.services.readings import Subject, Taken
from weir.workspaces.models import ApiToken, Membership

_MADE_FOR: Final = timedelta(days=14)  # tokens for less were meant to end soon
_LOOK_AHEAD: Final = timedelta(days=60)


def put_tokens(taken: Taken, now: datetime) -> None:
    """Add the readings of tokens; two queries."""
    rows = ApiToken.objects.filter(expiry__gt=now, expiry__lt=now + _LOOK_AHEAD).values_list(
        "user_id", "created", "expiry"
    )
    first: dict[int, datetime] = {}
    for user_id, created, expiry in rows:
        if expiry - created >= _MADE_FOR:
            first[user_id] = min(expiry, first.get(user_id, expiry))
    members = Membership.objects.filter(user__in=first).values_list(
        "workspace_id", "user_id", "user__username"
    )
    for workspace_id, user_id, username in members:
        subject = Subject(workspace_id, "member", (("member", username),), f"API token of {username}")
        taken.put("member.token_expires_days", subject, (first[user_id] - now).total_seconds() / 86_400)
