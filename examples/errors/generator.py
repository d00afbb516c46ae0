"""A seeded generator of log lines of services, one of which is ill now and then."""

import random
from collections.abc import Iterator

from examples.command import encoded, run
from examples.feed import Due

SERVICES = ("cart", "checkout", "mail", "payment", "search", "stock")
MESSAGES = {
    "DEBUG": ("cache hit", "retry not needed"),
    "INFO": ("request served", "job done", "connection opened"),
    "WARN": ("slow answer", "retrying", "queue is long"),
    "ERROR": ("time-out of the database", "connection refused", "invalid answer", "no such order"),
    "FATAL": ("out of memory", "cannot write the journal"),
}
HEALTHY = (30, 60, 8, 1.9, 0.1)  # weights of the levels above
ILL = (10, 30, 25, 32, 3)
ILL_SHARE = 0.25
ILL_SECONDS = 30.0


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Log lines at `rate` per second."""
    chance = random.Random(seed)
    ill, until = "", 0.0
    number = 0
    while True:
        at = number / rate
        if at >= until:
            ill, until = chance.choice(SERVICES) if chance.random() < ILL_SHARE else "", at + ILL_SECONDS
        service = chance.choice(SERVICES)
        level = chance.choices(tuple(MESSAGES), ILL if service == ill else HEALTHY)[0]
        values = {
            "service": service,
            "level": level,
            "message": chance.choice(MESSAGES[level]),
            "at": begin_ms + round(at * 1_000),
        }
        yield Due(at, service.encode(), encoded(values), "log_lines")
        number += 1


if __name__ == "__main__":
    run(__doc__, events, 20, "log lines")
