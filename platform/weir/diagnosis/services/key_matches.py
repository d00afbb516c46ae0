"""Compares the keys of both sides of a join: how many meet, and by what those that nearly meet differ."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any, Final

from jobs.operators.join_fields import KeyPair
from weir.diagnosis.services.source_facts import SampledRow

Key = tuple[Any, ...]

_EXAMPLES: Final = 3
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_MOST_DIGITS: Final = 60
_EXACT: Final = Context(prec=_MOST_DIGITS)  # others round to 28 digits


@dataclass(frozen=True, slots=True)
class NearKeys:
    """Keys that would meet if a difference of their writing were left out.

    Attributes:
        difference: in words (`_FOLDS`).
        left: one of the left side.
        right: the one of the right side that it would meet.
        pairs: distinct left keys that would meet one.
    """

    difference: str
    left: str
    right: str
    pairs: int


@dataclass(frozen=True, slots=True)
class KeyMatches:
    """What a comparison found.

    Attributes:
        left: distinct keys of the left sample, without nulls.
        right: of the right one.
        common: that both have.
        left_nulls: rows of the left sample with a null in their key.
        right_nulls: of the right one.
        left_rows: rows of the left sample.
        right_rows: rows of the right sample.
        near: by what keys differ that would meet otherwise; None: nothing near.
        nearest_us: distance of two rows of a common key, right minus left: of those within the limits, or
            nearest to them, the smallest; None: no common key.
        examples: some keys of each side.
        kinds: what the keys of each side are, for the first pair of fields where the sides differ: numbers,
            UUIDs or texts; empty where they don't, or a side has several kinds.
    """

    left: int
    right: int
    common: int
    left_nulls: int
    right_nulls: int
    left_rows: int
    right_rows: int
    near: "NearKeys | None" = None
    nearest_us: int | None = None
    examples: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    kinds: tuple[str, str] | tuple[()] = ()


def _spaces(text: str) -> str:
    return text.strip()


def _case(text: str) -> str:
    return text.casefold()


def _zeros(text: str) -> str:
    found = text.strip()
    return found.lstrip("0") or found[:1]


def _signs(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum()) or text


def _quotes(text: str) -> str:
    return text.strip().strip("\"'") or text


def _number(text: str) -> str:
    """A number in one form: 7, 7.0 and 7e0 are the same."""
    if not _NUMBER.fullmatch(text.strip()) or len(text) > _MOST_DIGITS:
        return text
    return str(Decimal(text.strip()).normalize(_EXACT))


_FOLDS: Final[Mapping[str, Callable[[str], str]]] = {
    "spaces at the ends": _spaces,
    "upper and lower case": _case,
    "leading zeros": _zeros,
    "quotes around the value": _quotes,
    "the form of the number": _number,
    "separators, spaces or case": _signs,
}


def key_matches(
    on: tuple[KeyPair, ...],
    left: Iterable[SampledRow],
    right: Iterable[SampledRow],
    limits: tuple[int, int] | None = None,
) -> KeyMatches:
    """Compare two samples.

    Args:
        on: the pairs of key fields.
        left: sampled rows of the left side.
        right: of the right side.
        limits: how much later the right row of a pair may be, from and to, in µs; None: at any time.
    """
    lefts, left_nulls, left_rows = _by_key([pair.left for pair in on], left)
    rights, right_nulls, right_rows = _by_key([pair.right for pair in on], right)
    common = lefts.keys() & rights.keys()
    return KeyMatches(
        left=len(lefts),
        right=len(rights),
        common=len(common),
        left_nulls=left_nulls,
        right_nulls=right_nulls,
        left_rows=left_rows,
        right_rows=right_rows,
        near=None if common else _near(lefts, rights),
        nearest_us=_nearest(((lefts[key], rights[key]) for key in common), limits),
        examples=(_shown(lefts), _shown(rights)),
        kinds=() if common else _kinds(len(on), lefts, rights),
    )


def partnerless(
    on: tuple[KeyPair, ...],
    left: Iterable[SampledRow],
    right: Iterable[SampledRow],
    limits: tuple[int, int] | None,
) -> int:
    """How many rows of the left sample find no partner in the right one.

    Args:
        on: the pairs of key fields.
        left: sampled rows of the left side.
        right: of the right side.
        limits: how much later the partner may be, from and to, in µs; None: at any time.
    """
    lefts, nulls, _ = _by_key([pair.left for pair in on], left)
    rights, _, _ = _by_key([pair.right for pair in on], right)
    ordered = {key: sorted(times) for key, times in rights.items() if key in lefts}
    return nulls + sum(
        not _has_partner(time, ordered.get(key, []), limits) for key, times in lefts.items() for time in times
    )


def _has_partner(time: int, partners: list[int], limits: tuple[int, int] | None) -> bool:
    if limits is None or not partners:
        return bool(partners)
    first = bisect_left(partners, time + limits[0])
    return first < len(partners) and partners[first] <= time + limits[1]


def key_text(key: Key) -> str:
    """A key for people: its values, separated by commas."""
    return ", ".join(repr(part) if isinstance(part, str) else str(part) for part in key)


def _by_key(names: list[str], rows: Iterable[SampledRow]) -> tuple[dict[Key, list[int]], int, int]:
    """Times by key, rows with a null in their key, and all rows."""
    found: dict[Key, list[int]] = defaultdict(list)
    nulls = total = 0
    for row in rows:
        total += 1
        key = tuple(row.values.get(name) for name in names)
        if any(part is None for part in key):
            nulls += 1
        else:
            found[key].append(row.time_us)
    return dict(found), nulls, total


def _kinds(fields: int, lefts: Iterable[Key], rights: Iterable[Key]) -> tuple[str, str] | tuple[()]:
    for at in range(fields):
        left, right = ({_kind(key[at]) for key in keys} for keys in (lefts, rights))
        if len(left) == len(right) == 1 and left != right:
            return left.pop(), right.pop()
    return ()


def _kind(part: Any) -> str:
    text = str(part).strip()
    if _NUMBER.fullmatch(text):
        return "numbers"
    return "UUIDs" if _UUID.fullmatch(text) else "texts"


def _near(lefts: Iterable[Key], rights: Iterable[Key]) -> NearKeys | None:
    for difference, fold in _FOLDS.items():
        folded = {_folded(key, fold): key for key in rights}
        pairs = [(key, other) for key in lefts if (other := folded.get(_folded(key, fold))) is not None]
        if pairs:
            left, right = pairs[0]
            return NearKeys(difference, key_text(left), key_text(right), len(pairs))
    return None


def _folded(key: Key, fold: Callable[[str], str]) -> Key:
    return tuple(fold(part) if isinstance(part, str) else part for part in key)


def _nearest(pairs: Iterable[tuple[list[int], list[int]]], limits: tuple[int, int] | None) -> int | None:
    """Of times of common keys, left and right, the distance nearest to the limits, right minus left."""
    first, last = limits or (0, 0)

    def outside(distance: int) -> tuple[int, int]:
        return max(first - distance, distance - last, 0), abs(distance)

    def distances() -> Iterator[int]:
        for lefts, rights in pairs:
            ordered = sorted(rights)
            for time in lefts:
                for wanted in {time, time + first, time + last}:
                    at = bisect_left(ordered, wanted)
                    yield from (other - time for other in ordered[max(0, at - 1) : at + 1])

    return min(distances(), key=outside, default=None)


def _shown(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(key_text(key) for _, key in zip(range(_EXAMPLES), keys, strict=False))
