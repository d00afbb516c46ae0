"""The command line of the templates' generators, and the form of their records."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from examples.feed import Due, Feed
from examples.kafka import add_bootstrap

Events = Callable[[int, float, int], Iterator[Due]]
"""Endless records from a seed, a rate per second, and the instant of the start in ms since 1970."""


def run(description: str | None, events: Events, rate: float, what: str) -> None:
    """Read the arguments and feed until asked to end.

    Args:
        description: of the program.
        events: the generator.
        rate: per second, unless the arguments say another.
        what: is made so often, for the log.
    """
    parser = argparse.ArgumentParser(description=description)
    add_bootstrap(parser)
    parser.add_argument("--rate", type=float, default=rate, help=f"{what} per second")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    feed = Feed(options.bootstrap)
    feed.stop_on_signals()
    print(f"{options.rate:g} {what} per second", flush=True)
    feed.send(events(options.seed, options.rate, time.time_ns() // 1_000_000))


def encoded(values: dict[str, Any]) -> bytes:
    """A record's JSON."""
    return json.dumps(values, separators=(",", ":")).encode()
