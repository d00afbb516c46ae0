"""A seeded generator of trades and quotes: the same seed gives the same prices, in the same order."""

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator

from examples.feed import Feed, paced
from examples.kafka import add_bootstrap

SYMBOLS = {"ACME": 182.5, "BOLT": 64.2, "CIRRUS": 311.0, "DELTA": 27.8, "EMBER": 95.4, "FJORD": 148.9}
TRADE_SHARE = 0.4


def ticks(seed: int, clock_ms: Callable[[], int]) -> Iterator[tuple[bytes, bytes]]:
    """Endless (symbol, JSON) records: quotes carry bid and ask, trades a price and a size.

    Prices walk at random.

    Args:
        seed: of the random numbers.
        clock_ms: gives each record's event time, ms since 1970.
    """
    chance = random.Random(seed)
    middle = dict(SYMBOLS)
    names = tuple(SYMBOLS)
    while True:
        symbol = chance.choice(names)
        # Drawn back to where it began, so that a demo of weeks stays in a plausible range.
        middle[symbol] += 0.02 * (SYMBOLS[symbol] - middle[symbol]) + chance.gauss(
            0, SYMBOLS[symbol] * 0.0012
        )
        half_spread = max(0.01, middle[symbol] * chance.uniform(0.0002, 0.0012))
        bid, ask = round(middle[symbol] - half_spread, 2), round(middle[symbol] + half_spread, 2)
        record: dict[str, object] = {"symbol": symbol, "at": clock_ms()}
        if chance.random() < TRADE_SHARE:
            record |= {
                "kind": "trade",
                "price": chance.choice((bid, ask)),
                "size": chance.randrange(1, 50) * 10,
            }
        else:
            record |= {"kind": "quote", "bid": bid, "ask": ask}
        yield symbol.encode(), json.dumps(record, separators=(",", ":")).encode()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_bootstrap(parser)
    parser.add_argument("--topic", default="ticks")
    parser.add_argument("--rate", type=float, default=50, help="records per second")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    feed = Feed(options.bootstrap, options.topic)
    feed.stop_on_signals()
    print(f"{options.rate:g} trades and quotes per second", flush=True)
    feed.send(paced(ticks(options.seed, lambda: time.time_ns() // 1_000_000), options.rate))


if __name__ == "__main__":
    main()
