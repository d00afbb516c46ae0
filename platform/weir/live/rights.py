"""Rights of connections, read for all connections of a process at once."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from weir.workspaces.models import ApiToken, Membership, User
from weir.workspaces.roles import Right, Role


@dataclass(frozen=True, slots=True)
class Standing:
    """The credentials of a connection.

    Attributes:
        user_id: its user.
        session_key: of the browser's session, or of the session that its ticket was created with.
        token: digest of the API token that it, or its ticket, was created with.
    """

    user_id: int
    session_key: str | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Rights:
    """Valid credentials, and roles by user and workspace."""

    standing: frozenset[Standing]
    roles: dict[tuple[int, int], Role]

    def may(self, user_id: int, workspace_id: int, right: Right) -> bool:
        """True while the user has this right there."""
        role = self.roles.get((user_id, workspace_id))
        return role is not None and role.may(right)


def read_rights(standings: Collection[Standing]) -> Rights:
    """The rights of these connections now; four queries, however many there are."""
    users = _active_users({one.user_id for one in standings})
    live_session = _live_sessions(
        {one.session_key for one in standings if one.session_key is not None}, users
    )
    tokens = _live_tokens({one.token for one in standings if one.token is not None})
    standing = {one for one in standings if one.user_id in users and _holds(one, live_session, tokens)}
    return Rights(frozenset(standing), _roles(users))


def _active_users(ids: set[int]) -> dict[int, User]:
    return {user.pk: user for user in User.objects.filter(pk__in=ids, is_active=True)}


def _roles(users: Collection[int]) -> dict[tuple[int, int], Role]:
    """Roles by user and workspace."""
    rows = Membership.objects.filter(user__in=list(users)).values_list("user_id", "workspace_id", "role")
    return {(user_id, workspace_id): Role(role) for user_id, workspace_id, role in rows}


def _holds(one: Standing, live_session: Callable[[str, int], bool], tokens: dict[str, int]) -> bool:
    if one.session_key is not None and not live_session(one.session_key, one.user_id):
        return False
    return one.token is None or tokens.get(one.token) == one.user_id


def _live_sessions(keys: set[str], users: dict[int, User]) -> Callable[[str, int], bool]:
    """Returns a check whether a session is still valid for a user: not ended, not expired, and
    no password change since.
    """
    rows = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now()) if keys else ()
    found: dict[str, dict[str, Any]] = {row.session_key: row.get_decoded() for row in rows}

    def live(key: str, user_id: int) -> bool:
        session = found.get(key, {})
        if session.get(SESSION_KEY) != str(user_id):
            return False
        return constant_time_compare(
            session.get(HASH_SESSION_KEY, ""), users[user_id].get_session_auth_hash()
        )

    return live


def _live_tokens(digests: set[str]) -> dict[str, int]:
    """User ids by digest, of tokens that were not revoked and have not expired."""
    if not digests:
        return {}
    live = Q(expiry__isnull=True) | Q(expiry__gt=timezone.now())
    return dict(ApiToken.objects.filter(live, digest__in=digests).values_list("digest", "user_id"))
