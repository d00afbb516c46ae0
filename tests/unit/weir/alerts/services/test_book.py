"""What makes two groups of values one alert."""

import json

from weir.alerts.services.book import key_of


def test_a_group_is_the_same_however_a_database_gives_it_back() -> None:
    """PostgreSQL orders members of a struct by their length, and writes large numbers without exponent."""
    given = {"place": {"longer": 1e22, "a": [{"y": 1.5, "x": None}]}, "symbol": "A", "n": 1e17}
    stored = {"n": 10**17, "symbol": "A", "place": {"a": [{"x": None, "y": 1.5}], "longer": 10**22}}
    assert key_of(given) == key_of(stored)


def test_groups_that_differ_anywhere_are_different_alerts() -> None:
    groups = [
        {"v": value}
        for value in ("1", 1, 1.5, True, None, "", [], [1], [[1]], {"a": 1}, {"a": 2}, {"b": 1}, ["a", 1])
    ]
    assert len({key_of(group) for group in groups}) == len(groups)
    assert len({json.dumps(group) for group in groups}) == len(groups)
