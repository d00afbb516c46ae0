"""A seeded generator of page views, the searches that may follow them, and changes of people's profiles."""

import heapq
import random
from collections.abc import Iterator
from typing import Any

from examples.command import encoded, run
from examples.feed import Due

PAGES = ("home", "bikes", "helmets", "lamps", "locks", "tents", "boots", "maps")
WORDS = (
    "red bike",
    "child seat",
    "rain jacket",
    "front light",
    "spare tube",
    "map of the alps",
    "camping stove",
)
REGIONS = ("EU", "US", "APAC")
PLANS = ("free", "basic", "pro", None)
USERS = tuple(f"u{number:02}" for number in range(1, 51))
STRANGERS = 10  # the last of them have no profile at first
SEARCH_SHARE = 0.7
CHANGE_SHARE = 0.03


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Profiles first, then views at `rate` per second; a search follows most of them within two seconds."""
    chance = random.Random(seed)
    profiles: dict[str, dict[str, Any]] = {}
    for user in USERS[:-STRANGERS]:
        profiles[user] = _profile(chance, user)
        yield _change(0.0, begin_ms, user, "r", None, profiles[user])
    pending: list[tuple[float, int, str]] = []
    number = 0
    while True:
        at = number / rate
        while pending and pending[0][0] <= at:
            searched_at, _, user = heapq.heappop(pending)
            yield _record(searched_at, begin_ms, "searches", user, words=chance.choice(WORDS))
        user = chance.choice(USERS)
        if chance.random() < CHANGE_SHARE:
            yield from _changes(chance, at, begin_ms, user, profiles)
        yield _record(at, begin_ms, "page_views", user, page=chance.choice(PAGES))
        if chance.random() < SEARCH_SHARE:
            heapq.heappush(pending, (at + chance.uniform(0.05, 2.0), number, user))
        number += 1


def _record(at: float, begin_ms: int, topic: str, user: str, **values: Any) -> Due:
    return Due(
        at, user.encode(), encoded({"user": user, **values, "at": begin_ms + round(at * 1_000)}), topic
    )


def _profile(chance: random.Random, user: str) -> dict[str, Any]:
    return {"user": user, "region": chance.choice(REGIONS), "plan": chance.choice(PLANS)}


def _changes(
    chance: random.Random, at: float, begin_ms: int, user: str, profiles: dict[str, dict[str, Any]]
) -> Iterator[Due]:
    before = profiles.get(user)
    if before is not None and chance.random() < 0.3:
        del profiles[user]
        yield _change(at, begin_ms, user, "d", before, None)
        yield Due(at, _key(user), None, "profiles")  # Debezium lets Kafka forget the key
        return
    profiles[user] = _profile(chance, user)
    yield _change(at, begin_ms, user, "c" if before is None else "u", before, profiles[user])


def _change(
    at: float, begin_ms: int, user: str, op: str, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> Due:
    made = begin_ms + round(at * 1_000)
    return Due(
        at,
        _key(user),
        encoded({"before": before, "after": after, "op": op, "source": {"ts_ms": made}, "ts_ms": made}),
        "profiles",
    )


def _key(user: str) -> bytes:
    return encoded({"user": user})


if __name__ == "__main__":
    run(__doc__, events, 5, "page views")
