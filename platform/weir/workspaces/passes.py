"""Secrets that work once: sign-in links and WebSocket tickets."""

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.utils import timezone

from weir.workspaces.models import OneTimePass, User

TICKET_LIFE: Final = timedelta(seconds=30)
SIGN_IN_LIFE: Final = timedelta(minutes=15)


def make_sign_in_link(user: User, life: timedelta = SIGN_IN_LIFE) -> str:
    """A path, such as ``/sign-in/…/``, that signs this person in once."""
    return f"/sign-in/{_make(OneTimePass.Purpose.SIGN_IN, user, life)}/"


def redeem_sign_in(text: str) -> User | None:
    """The person whom a sign-in link is for; None when it is unknown, used or expired. It works once."""
    return _redeem(OneTimePass.Purpose.SIGN_IN, text)


def make_ticket(user: User) -> str:
    """A ticket for one WebSocket, good for 30 s."""
    return _make(OneTimePass.Purpose.TICKET, user, TICKET_LIFE)


def redeem_ticket(text: str) -> User | None:
    """The person whom a ticket is for; None when it is unknown, used or expired. It works once."""
    return _redeem(OneTimePass.Purpose.TICKET, text)


def delete_expired() -> int:
    """Forget passes that nobody used in time; how many there were."""
    return OneTimePass.objects.filter(expires_at__lt=timezone.now()).delete()[0]


def _make(purpose: OneTimePass.Purpose, user: User, life: timedelta) -> str:
    text = secrets.token_urlsafe(32)
    OneTimePass.objects.create(digest=_digest(text), purpose=purpose, user=user, expires_at=timezone.now() + life)
    return text


def _redeem(purpose: OneTimePass.Purpose, text: str) -> User | None:
    found = OneTimePass.objects.filter(digest=_digest(text), purpose=purpose, expires_at__gt=timezone.now()).select_related("user").first()
    if found is None or not found.user.is_active:
        return None
    # Two requests may hold the same text: whoever deletes the row has it.
    deleted, _ = OneTimePass.objects.filter(digest=found.digest).delete()
    return found.user if deleted else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
