"""Rights of connections, read for all connections of a process at once."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from weir.dashboards.services.shared_outputs import SharedOutputs, shared_outputs
from weir.runs.models import Job
from weir.streams.services.ownership import TopicReading, allowed_readings
from weir.workspaces.models import ApiToken, Membership, User
from weir.workspaces.roles import Right, Role


@dataclass(frozen=True, slots=True)
class Standing:
    """The credentials of a connection: a user's, or a link to a dashboard.

    Attributes:
        user_id: its user; None with a link.
        session_key: of the browser's session, or of the session that its ticket was created with.
        token: digest of the API token that it, or its ticket, was created with.
        link_id: of the link that its ticket was created with; None with a user.
    """

    user_id: int | None
    session_key: str | None = None
    token: str | None = None
    link_id: str | None = None

    @property
    def of_link(self) -> bool:
        """Whether it is a link's, which many people may have."""
        return self.link_id is not None

    @property
    def person(self) -> str:
        """Whom limits count as one: a user, or whoever has the link."""
        return f"link {self.link_id}" if self.of_link else f"user {self.user_id}"


@dataclass(frozen=True, slots=True)
class Need:
    """What a subscription needs.

    Attributes:
        workspace_id: of the job or stream.
        right: that a user must have there.
        results_of: the job whose results it follows; None for another channel, which no link opens.
        job_id: of the job that it follows; None for a channel that is not one job's.
        reading: of the topic that it tails; None for another channel.
    """

    workspace_id: int
    right: Right
    results_of: str | None = None
    job_id: str | None = None
    reading: TopicReading | None = None


@dataclass(frozen=True, slots=True)
class Rights:
    """Valid credentials, roles by user and workspace, what links show, by link id, topics that tails may
    read on, and ids of jobs that are there.
    """

    standing: frozenset[Standing]
    roles: dict[tuple[int, int], Role]
    shared: dict[str, SharedOutputs]
    readings: frozenset[TopicReading]
    jobs: frozenset[str]

    def may(self, user_id: int, workspace_id: int, right: Right) -> bool:
        """True while the user has this right there."""
        role = self.roles.get((user_id, workspace_id))
        return role is not None and role.may(right)

    def allow(self, standing: Standing, need: Need) -> bool:
        """True while these credentials allow a subscription."""
        if standing.link_id is None:
            return standing.user_id is not None and self.may(standing.user_id, need.workspace_id, need.right)
        outputs = self.shared.get(standing.link_id)
        return (
            outputs is not None
            and outputs.workspace_id == need.workspace_id
            and need.results_of in outputs.jobs
        )

    def find(self, need: Need) -> bool:
        """True while what a subscription follows is still there for its workspace."""
        if need.job_id is not None and need.job_id not in self.jobs:
            return False
        return need.reading is None or need.reading in self.readings


def read_rights(
    standings: Collection[Standing],
    readings: Collection[TopicReading] = (),
    jobs: Collection[str] = (),
) -> Rights:
    """The rights of these connections now; four queries, two where there are links, four where there are
    tails and one where jobs are followed, however many there are.

    Args:
        standings: credentials of the connections.
        readings: what their tails rest on.
        jobs: ids of the jobs that they follow.
    """
    # First: a job that is deleted meanwhile takes what a link shows with it, which ends the connection. Asked
    # last, it would be gone from under a link that still shows it, and the connection stay, with nothing.
    there = frozenset(
        Job.objects.user_jobs().filter(pk__in=jobs).values_list("pk", flat=True) if jobs else ()
    )
    users = _active_users({one.user_id for one in standings if one.user_id is not None})
    live_session = _live_sessions(
        {one.session_key for one in standings if one.session_key is not None}, users
    )
    tokens = _live_tokens({one.token for one in standings if one.token is not None})
    links = {one.link_id for one in standings if one.link_id is not None}
    shared = shared_outputs(links) if links else {}
    standing = {
        one
        for one in standings
        if (one.link_id in shared if one.link_id is not None else _stands(one, users, live_session, tokens))
    }
    return Rights(frozenset(standing), _roles(users), shared, allowed_readings(readings), there)


def _stands(
    one: Standing,
    users: dict[int, User],
    live_session: Callable[[str, int], bool],
    tokens: dict[str, int],
) -> bool:
    return one.user_id in users and _holds(one, one.user_id, live_session, tokens)


def _active_users(ids: set[int]) -> dict[int, User]:
    return {user.pk: user for user in User.objects.filter(pk__in=ids, is_active=True)}


def _roles(users: Collection[int]) -> dict[tuple[int, int], Role]:
    """Roles by user and workspace."""
    rows = Membership.objects.filter(user__in=list(users)).values_list("user_id", "workspace_id", "role")
    return {(user_id, workspace_id): Role(role) for user_id, workspace_id, role in rows}


def _holds(
    one: Standing, user_id: int, live_session: Callable[[str, int], bool], tokens: dict[str, int]
) -> bool:
    if one.session_key is not None and not live_session(one.session_key, user_id):
        return False
    return one.token is None or tokens.get(one.token) == user_id


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
