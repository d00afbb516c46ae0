"""API tokens."""

from datetime import timedelta

from django.utils import timezone

from weir.workspaces.errors import ServiceError
from weir.workspaces.models import ApiToken, User


def create_token(
    user: User, name: str, ttl: timedelta | None, created_with: ApiToken | None = None
) -> tuple[ApiToken, str]:
    """A token for programs; the text is returned here and never again.

    Args:
        user: whose rights it has.
        name: its purpose.
        ttl: time until it expires; None: it does not expire.
        created_with: the token of the request; the new token may not outlive it, and is revoked with it.
            None: the user is signed in.

    Raises:
        ServiceError: it would outlive the token of the request.
    """
    end = created_with.expiry if created_with is not None else None
    if end is not None and (ttl is None or timezone.now() + ttl > end):
        raise ServiceError(
            "TOKEN_OUTLIVES",
            f"A token created with this one must expire by {end:%Y-%m-%d %H:%M} UTC. "
            "Choose fewer days, or sign in.",
        )
    row, text = ApiToken.objects.create(user=user, expiry=ttl, name=name, created_with=created_with)
    return row, text
