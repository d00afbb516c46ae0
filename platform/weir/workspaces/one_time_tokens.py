"""Secrets that work once: sign-in links and WebSocket tickets."""

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.utils import timezone

from weir.workspaces.models import ApiToken, OneTimePass, User

TICKET_LIFE: Final = timedelta(seconds=30)
SIGN_IN_LIFE: Final = timedelta(minutes=15)


def make_sign_in_link(user: User, life: timedelta = SIGN_IN_LIFE) -> str:
    """A path, such as ``/sign-in/…/``, that signs this person in once."""
    return f"/sign-in/{_make(OneTimePass.Purpose.SIGN_IN, user, life)}/"


def redeem_sign_in(text: str) -> User | None:
    """The person whom a sign-in link is for; None when it is unknown, used or expired. It works once."""
    found = _redeem(OneTimePass.Purpose.SIGN_IN, text)
    return None if found is None else found.user


def make_ticket(user: User, token: ApiToken | None = None, session_key: str = "") -> str:
    """A ticket for one WebSocket, good for 30 s and no longer than what it was asked for with.

    Args:
        user: who connects.
        token: that asked for it, or None.
        session_key: of the browser's session that asked for it, or empty.
    """
    return _make(OneTimePass.Purpose.TICKET, user, TICKET_LIFE, token, session_key)


def redeem_ticket(text: str) -> OneTimePass | None:
    """A ticket's row, with its person; None when it is unknown, used or expired, or its token is. It works once."""
    found = _redeem(OneTimePass.Purpose.TICKET, text)
    if found is not None and found.token is not None and not found.token.is_live:
        return None
    return found


def delete_expired() -> int:
    """Forget passes that nobody used in time; how many there were."""
    return OneTimePass.objects.filter(expires_at__lt=timezone.now()).delete()[0]


def _make(purpose: OneTimePass.Purpose, user: User, life: timedelta, token: ApiToken | None = None, session_key: str = "") -> str:
    text = secrets.token_urlsafe(32)
    ends = timezone.now() + life
    OneTimePass.objects.create(digest=_digest(text), purpose=purpose, user=user, expires_at=ends, token=token, session_key=session_key)
    return text


def _redeem(purpose: OneTimePass.Purpose, text: str) -> OneTimePass | None:
    live = OneTimePass.objects.filter(digest=_digest(text), purpose=purpose, expires_at__gt=timezone.now())
    found = live.select_related("user", "token").first()
    if found is None or not found.user.is_active:
        return None
    # Two requests may hold the same text: whoever deletes the row has it.
    deleted, _ = OneTimePass.objects.filter(digest=found.digest).delete()
    return found if deleted else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
