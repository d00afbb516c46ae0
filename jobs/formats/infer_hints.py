"""Hints what the values of a sample mean beyond their type: an id, or one of a few values."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

_MIN_SAMPLE: Final = 20  # values needed for a hint
_MAX_VALUES: Final = 20
_MIN_REPEATS: Final = 5  # how often each of a few values must occur on average
_ID_NAME: Final = re.compile(
    r"(^|_)(id|uuid|guid|key|code|number|no|nr)($|_)|(Id|ID|Key|Code|Number)$", re.IGNORECASE
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,79}")


@dataclass(frozen=True, slots=True)
class FieldHint:
    """What the values of a field seem to be.

    Attributes:
        kind: a time, an id, or one of a few values.
        reason: one sentence.
        values: the distinct values, most frequent first, if they are few.
    """

    kind: Literal["time", "id", "enum"]
    reason: str
    values: tuple[str, ...] = ()


def field_hints(name: str, given: list[str], *, texts: bool) -> tuple[FieldHint, ...]:
    """Hints for a field.

    Args:
        name: of the field.
        given: its values as texts, without nulls; whole numbers in their digits.
        texts: False for whole numbers, which are ids or codes only where their name says so.
    """
    if len(given) < _MIN_SAMPLE:
        return ()
    counts = Counter(given)
    if texts and _are_uuids(counts):
        return (FieldHint("id", f"All values are UUIDs; {len(counts)} of {len(given)} are distinct."),)
    if not (texts or _ID_NAME.search(name)):
        return ()
    if len(counts) == len(given) and _are_tokens(given):
        return (FieldHint("id", f"All {len(given)} values are distinct."),)
    if len(counts) <= min(_MAX_VALUES, len(given) // _MIN_REPEATS):
        values = tuple(encodable(value[:80]) for value, _ in counts.most_common())
        return (FieldHint("enum", f"Only {len(counts)} distinct values in {len(given)} records.", values),)
    return ()


def encodable(text: str) -> str:
    """A text of a sample that can be sent: half a surrogate pair, which is no UTF-8, is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def _are_uuids(values: Iterable[str]) -> bool:
    return all(_UUID.fullmatch(value) for value in values)


def _are_tokens(values: Iterable[str]) -> bool:
    return all(_TOKEN.fullmatch(value) for value in values)
