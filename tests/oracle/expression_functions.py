"""What the expression texts of the golden cases mean, in Python.

Rows are dicts with system fields; null is None.

A part that fails is null as well, and says so by `error()`: steps count such rows. A part that its expression
never comes to, such as a later branch of CASE, does not fail.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.oracle.casts import cast

Row = dict[str, Any]


class Noted:
    """How many parts have failed since the beginning."""

    count = 0


def error() -> None:
    """The value of a part that has failed."""
    Noted.count += 1


def _divided(a: Any, b: Any) -> float | None:
    if a is None or b is None:
        return None
    return error() if b == 0 else a / b


def _compare(name: str, test: Callable[[Any], bool]) -> Callable[[Row], bool | None]:
    return lambda row: None if row[name] is None else test(row[name])


def _both(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _int(value: int) -> int | None:
    return value if -(2**31) <= value < 2**31 else error()


def _long(value: int) -> int | None:
    return value if -(2**63) <= value < 2**63 else error()


def _chain(first: int | None, *more: tuple[Callable[[int, int], int], int | None]) -> int | None:
    """Longs computed from left to right."""
    found = first
    for apply, value in more:
        found = None if found is None or value is None else _long(apply(found, value))
    return found


def _quarter(value: Any) -> Any:
    """A decimal has at least six fractional digits; integers become double."""
    return (
        (value / 4).quantize(Decimal("0.000001"), ROUND_HALF_UP) if isinstance(value, Decimal) else value / 4
    )


def _contains(values: list[Any], element: Any) -> bool | None:
    """Null when the value is not there, but a null is."""
    return True if element in values else None if None in values else False


MEANINGS: dict[str, Callable[[Row], Any]] = {
    "x > 0": _compare("x", lambda x: x > 0),
    "x > 1": _compare("x", lambda x: x > 1),
    "x < y": lambda r: None if r["x"] is None or r["y"] is None else r["x"] < r["y"],
    "x < 0": _compare("x", lambda x: x < 0),
    "not (x > 0)": _compare("x", lambda x: not x > 0),
    "x is null": lambda r: r["x"] is None,
    "x > 0 and k = 'a'": lambda r: _both(
        _compare("x", lambda x: x > 0)(r), _compare("k", lambda k: k == "a")(r)
    ),
    "x > 0 or k = 'a'": lambda r: (
        None
        if (found := _both(_compare("x", lambda x: not x > 0)(r), _compare("k", lambda k: k != "a")(r)))
        is None
        else not found
    ),
    "1 = 2": lambda _: False,
    "k = null": lambda _: None,
    "y = null": lambda _: None,
    "n < 3": _compare("n", lambda n: n < 3),
    "n > 1": _compare("n", lambda n: n > 1),
    "k = 'a'": _compare("k", lambda k: k == "a"),
    "x + 1": lambda r: None if r["x"] is None else _long(r["x"] + 1),
    "x * 2": lambda r: None if r["x"] is None else _long(r["x"] * 2),
    "1 + x": lambda r: None if r["x"] is None else _int(1 + r["x"]),
    "2 * x": lambda r: None if r["x"] is None else _int(2 * r["x"]),
    "10 / x": lambda r: _divided(10, r["x"]),
    "10 / x > 2": lambda r: None if (found := _divided(10, r["x"])) is None else found > 2,
    "x <> 0": _compare("x", lambda x: x != 0),
    "x = 0": _compare("x", lambda x: x == 0),
    "case when x = 0 then 0 else 10 / x end": lambda r: 0.0 if r["x"] == 0 else _divided(10, r["x"]),
    "x = 0 or 10 / x > 2": lambda r: (
        True if r["x"] == 0 else None if (found := _divided(10, r["x"])) is None else found > 2
    ),
    "coalesce(10 / x, 0)": lambda r: 0.0 if (found := _divided(10, r["x"])) is None else found,
    "cast(k as int)": lambda r: (
        None if r["k"] is None else error() if (found := cast(r["k"], "int")) is None else found
    ),
    "x div 3": lambda r: None if r["x"] is None else int(r["x"] / 3),
    "x % 3": lambda r: None if r["x"] is None else r["x"] - 3 * int(r["x"] / 3),
    "x + 1 + y": lambda r: _chain(r["x"], (int.__add__, 1), (int.__add__, r["y"])),
    "1 + x + y": lambda r: _chain(1, (int.__add__, r["x"]), (int.__add__, r["y"])),
    "x * 1000 * y": lambda r: _chain(r["x"], (int.__mul__, 1000), (int.__mul__, r["y"])),
    "lower(upper(k))": lambda r: None if r["k"] is None else r["k"].upper().lower(),
    "upper(lower(k))": lambda r: None if r["k"] is None else r["k"].lower().upper(),
    "lower(up)": lambda r: None if r["up"] is None else r["up"].lower(),
    "upper(k)": lambda r: None if r["k"] is None else r["k"].upper(),
    "coalesce(k, 'none')": lambda r: "none" if r["k"] is None else r["k"],
    "case when x > 0 then 'up' when x < 0 then 'down' else 'flat' end": lambda r: (
        "flat" if r["x"] is None or r["x"] == 0 else ("up" if r["x"] > 0 else "down")
    ),
    "case when x > 10 then 'big' else 'small' end": lambda r: (
        "big" if r["x"] is not None and r["x"] > 10 else "small"
    ),
    "big + 1": lambda r: None if r["big"] is None else _long(r["big"] + 1),
    "big * 2": lambda r: None if r["big"] is None else _long(r["big"] * 2),
    "price / 4": lambda r: None if r["price"] is None else _quarter(r["price"]),
    "size(tags)": lambda r: None if r["tags"] is None else len(r["tags"]),
    "tags[0]": lambda r: None if r["tags"] is None else r["tags"][0] if r["tags"] else error(),
    "array_contains(tags, 'a')": lambda r: None if r["tags"] is None else _contains(r["tags"], "a"),
    "price * 2": lambda r: None if r["price"] is None else r["price"] * 2,
    "total / n": lambda r: _divided(r["total"], r["n"]),
    "cast(price as decimal(10,1))": lambda r: (
        None if r["price"] is None else r["price"].quantize(Decimal("0.1"), ROUND_HALF_UP)
    ),
    "price < 10": _compare("price", lambda price: price < 10),
    "price > 1.5": _compare("price", lambda price: price > Decimal("1.5")),
    "_time": lambda r: r["_time"],
    "second(window_end) = 17": lambda r: r["window_end"].second == 17,
    "_offset": lambda r: r["_offset"],
    "_offset >= 1": lambda r: r["_offset"] >= 1,
}
