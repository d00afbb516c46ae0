"""Sends lines of a few well-known texts, drawn at random from a seed."""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

from examples.feed import Feed, paced
from examples.kafka import add_bootstrap

LINES = tuple(Path(__file__).with_name("lines.txt").read_text(encoding="utf-8").splitlines())


def lines(seed: int) -> Iterator[tuple[None, bytes]]:
    """Endless (no key, JSON) records, each with one line of text."""
    chance = random.Random(seed)
    while True:
        yield None, json.dumps({"line": chance.choice(LINES)}, separators=(",", ":")).encode()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_bootstrap(parser)
    parser.add_argument("--topic", default="lines")
    parser.add_argument("--rate", type=float, default=10, help="lines per second")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    feed = Feed(options.bootstrap, options.topic)
    feed.stop_on_signals()
    print(f"{options.rate:g} lines per second", flush=True)
    feed.send(paced(lines(options.seed), options.rate))


if __name__ == "__main__":
    main()
