"""The channels groups and group/<cluster>/<group>: consumer groups, as often as passes over their
clusters.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import DatabaseError

from weir.live import group_lookups
from weir.live.blocking_pool import BlockingPool
from weir.live.group_lookups import Passes
from weir.live.latest_subscription import LatestSubscription
from weir.workspaces.services.turns import Turns

_LOG: Final = logging.getLogger(__name__)
_WATCH: Final = "watch"
LIST_TTL_S: Final = 5.0  # a topic or cluster may be another's by then, without a pass
_SENT_AT_A_TIME: Final = 100  # groups of a list, then other work of the event loop has its turn


@dataclass(frozen=True, slots=True)
class _List:
    """What a workspace sees, as the API shows it, after which passes, and when it was read (s)."""

    passes: Passes
    read_at: float
    watches: list[dict[str, Any]]
    groups: list[dict[str, Any]]


class GroupsChannel:
    """Asks the database once a second for new passes, whatever the number of subscriptions, and reads groups
    only after one: each workspace's list once, each group once. Who subscribes between two passes gets the
    list that was read.
    """

    def __init__(self, pool: BlockingPool) -> None:
        self._pool = pool
        self._watching: set[LatestSubscription] = set()
        self._passes: Passes = {}
        self._lists: dict[int, _List] = {}  # by workspace
        self._turns: Final = Turns(1)

    async def subscribe(self, subscription: LatestSubscription) -> None:
        """Serve a subscription, at once."""
        self._watching.add(subscription)
        await self._send([subscription])

    async def tick(self) -> None:
        """Send what new passes found."""
        self._watching = {subscription for subscription in self._watching if not subscription.closed}
        if not self._watching:
            self._lists.clear()
            return
        try:
            passes = await self._pool.run(group_lookups.passes)
        except DatabaseError as error:
            _LOG.info("passes over consumer groups: %s", error)
            return
        # Also one that has none any more: it was deleted.
        changed = {
            cluster
            for cluster in {*passes, *self._passes}
            if self._passes.get(cluster) != passes.get(cluster)
        }
        self._passes = passes
        if changed:
            await self._send(
                [
                    subscription
                    for subscription in self._watching
                    if subscription.kind == "groups" or subscription.subject.split("/", 1)[0] in changed
                ]
            )

    async def _send(self, subscriptions: list[LatestSubscription]) -> None:
        by_subject: dict[tuple[str, int, str], list[LatestSubscription]] = {}
        for each in subscriptions:
            by_subject.setdefault((each.kind, each.workspace_id, each.subject), []).append(each)
        for (kind, workspace_id, subject), watching in by_subject.items():
            try:
                if kind == "groups":
                    await self._send_list(workspace_id, watching)
                else:
                    await self._send_group(workspace_id, subject, watching)
            except DatabaseError as error:
                _LOG.info("consumer groups of workspace %s: %s", workspace_id, error)

    async def _send_list(self, workspace_id: int, watching: list[LatestSubscription]) -> None:
        async with self._turns.of(workspace_id):  # nobody gets an older list behind a newer one
            found = await self._list(workspace_id)
            for _ in self._sent(found, watching):
                await asyncio.sleep(0)

    async def _list(self, workspace_id: int) -> _List:
        known = self._lists.get(workspace_id)
        now = time.monotonic()
        if known is not None and known.passes == self._passes and now - known.read_at < LIST_TTL_S:
            return known
        passes = self._passes
        watches, groups = await self._pool.run(group_lookups.read_list, workspace_id)
        found = self._lists[workspace_id] = _List(passes, now, watches, groups)
        return found

    def _sent(self, found: _List, watching: list[LatestSubscription]) -> Iterator[None]:
        """Queue a list for its subscriptions, in parts."""
        watches, groups = found.watches, found.groups
        by_subject = {f"{group['cluster']}/{group['name']}": group for group in groups}
        known = {*by_subject, *(f"{_WATCH} {watch['cluster']}" for watch in watches)}
        for subscription in watching:
            for watch in watches:
                subscription.send(_WATCH, f"{_WATCH} {watch['cluster']}", watch)
            for number, (subject, group) in enumerate(by_subject.items(), 1):
                subscription.send("group", subject, group)
                if number % _SENT_AT_A_TIME == 0:
                    yield
                    if subscription.closed:
                        break
            gone = subscription.sent_subjects - known
            for subject in gone:
                _send_deleted(subscription, subject)
            subscription.settle(gone)

    async def _send_group(self, workspace_id: int, subject: str, watching: list[LatestSubscription]) -> None:
        cluster, name = subject.split("/", 1)
        found = await self._pool.run(group_lookups.read_group, workspace_id, cluster, name)
        passed = self._passes.get(cluster, (None, ""))
        body = {"cluster": cluster, "name": name, "deleted": True} if found is None else found
        for subscription in watching:
            subscription.send("group", subject, body | {"passed_us": passed[0], "error": passed[1]})


def _send_deleted(subscription: LatestSubscription, subject: str) -> None:
    """Say that a group, or a cluster with the watch of its groups, is gone."""
    if subject.startswith(f"{_WATCH} "):
        subscription.send(_WATCH, subject, {"cluster": subject.removeprefix(f"{_WATCH} "), "deleted": True})
    else:
        cluster, name = subject.split("/", 1)
        subscription.send("group", subject, {"cluster": cluster, "name": name, "deleted": True})
