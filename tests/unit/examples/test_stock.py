"""The generator is deterministic by seed; the expected results equal a small case worked out by hand."""

import json
from itertools import islice

from examples.stock.expected import expected
from examples.stock.generator import SYMBOLS, ticks


def test_same_seed_same_records() -> None:
    first = list(islice(ticks(7, lambda: 0), 200))
    assert first == list(islice(ticks(7, lambda: 0), 200))
    assert first != list(islice(ticks(8, lambda: 0), 200))


def test_records_are_quotes_and_trades_of_plausible_prices() -> None:
    for key, value in islice(ticks(1, lambda: 5), 20_000):
        record = json.loads(value)
        middle = SYMBOLS[key.decode()]
        assert record["symbol"] == key.decode()
        assert record["at"] == 5
        if record["kind"] == "quote":
            assert 0.8 * middle < record["bid"] < record["ask"] < 1.2 * middle
        else:
            assert 0.8 * middle < record["price"] < 1.2 * middle
            assert record["size"] > 0


def test_expected_over_two_seconds() -> None:
    values = [
        b'{"symbol":"A","at":10000,"kind":"quote","bid":1.0,"ask":2.0}',
        b'{"symbol":"A","at":10999,"kind":"trade","price":1.0,"size":10}',
        b'{"symbol":"A","at":11000,"kind":"quote","bid":1.0,"ask":4.0}',
    ]
    result = expected(values)
    assert sorted(start for start, _ in result) == [6000, 7000, 8000, 9000, 10000, 11000]
    assert result[6000, "A"] == (1, 2.0, 2.0)
    assert result[8000, "A"] == (1, 2.0, 3.0)
    assert result[11000, "A"] == (0, 4.0, 4.0)
    assert expected([values[1]])[10000, "A"] == (1, None, None)
