"""Secrets that work once: sign-in links and WebSocket tickets."""

import hashlib
import secrets
from datetime import timedelta

from django.utils import timezone

from weir.retention import SIGN_IN_LINK_TTL, TICKET_TTL
from weir.workspaces.models import ApiToken, OneTimeToken, User


def create_sign_in_link(user: User, ttl: timedelta = SIGN_IN_LINK_TTL) -> str:
    """A path, such as ``/sign-in/…/``, that signs this user in once."""
    return f"/sign-in/{_create(OneTimeToken.Purpose.SIGN_IN, user, ttl)}/"


def redeem_sign_in(text: str) -> User | None:
    """The user of a sign-in link; None when it is unknown, used or expired. It works once."""
    found = _redeem(OneTimeToken.Purpose.SIGN_IN, text)
    return None if found is None else found.user


def create_ticket(user: User, token: ApiToken | None = None, session_key: str = "") -> str:
    """A ticket for one WebSocket, valid for 30 s and no longer than the credentials that requested it.

    Args:
        user: who connects.
        token: that requested the ticket, or None.
        session_key: of the browser session that requested the ticket, or empty.
    """
    return _create(OneTimeToken.Purpose.TICKET, user, TICKET_TTL, token, session_key)


def redeem_ticket(text: str) -> OneTimeToken | None:
    """A ticket's row, with its user; None when it is unknown, used or expired, or
    its token is. It works once. Whether its session goes on is the caller's to look up.
    """
    found = _redeem(OneTimeToken.Purpose.TICKET, text)
    if found is not None and found.token is not None and not found.token.is_live:
        return None
    return found


def _create(
    purpose: OneTimeToken.Purpose,
    user: User,
    ttl: timedelta,
    token: ApiToken | None = None,
    session_key: str = "",
) -> str:
    text = secrets.token_urlsafe(32)
    expires = timezone.now() + ttl
    OneTimeToken.objects.create(
        digest=_digest(text),
        purpose=purpose,
        user=user,
        expires_at=expires,
        token=token,
        session_key=session_key,
    )
    return text


def _redeem(purpose: OneTimeToken.Purpose, text: str) -> OneTimeToken | None:
    live = OneTimeToken.objects.filter(digest=_digest(text), purpose=purpose, expires_at__gt=timezone.now())
    found = live.select_related("user", "token").first()
    if found is None or not found.user.is_active:
        return None
    # Two requests may present the same text: only the one that deletes the row succeeds.
    deleted, _ = OneTimeToken.objects.filter(digest=found.digest).delete()
    return found if deleted else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
