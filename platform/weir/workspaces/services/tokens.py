"""API tokens."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.models import ApiToken, User

MAX_TOKENS: Final = 200  # of a person, that have not expired


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
        ServiceError: TOKEN_OUTLIVES, it would outlive the token of the request; TOKEN_LIMIT.
        NotFoundError: the token of the request was revoked meanwhile.
    """
    end = created_with.expiry if created_with is not None else None
    if end is not None and (ttl is None or timezone.now() + ttl > end):
        raise ServiceError(
            "TOKEN_OUTLIVES",
            f"A token created with this one must expire by {end:%Y-%m-%d %H:%M} UTC. "
            "Choose fewer days, or sign in.",
        )
    with transaction.atomic():
        _lock_tokens(user)
        mine = ApiToken.objects.filter(user=user)
        if created_with is not None and not mine.filter(pk=created_with.pk).exists():
            raise NotFoundError("NOT_FOUND", "The token of this request was revoked.")
        if mine.filter(Q(expiry=None) | Q(expiry__gt=timezone.now())).count() >= MAX_TOKENS:
            raise ServiceError("TOKEN_LIMIT", f"You have {MAX_TOKENS} tokens, the maximum. Revoke one.")
        row, text = ApiToken.objects.create(user=user, expiry=ttl, name=name, created_with=created_with)
    return row, text


def revoke_token(user: User, token_key: str) -> None:
    """Revoke a token, with all that were made with it.

    Raises:
        NotFoundError: the user has no such token.
    """
    with transaction.atomic():
        _lock_tokens(user)
        deleted, _ = ApiToken.objects.filter(user=user, token_key=token_key).delete()
    if not deleted:
        raise NotFoundError("NOT_FOUND", "Token not found.")


def _lock_tokens(user: User) -> None:
    """Hold a person's tokens until the transaction ends: none is made with one that is being revoked."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
