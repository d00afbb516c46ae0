"""What the values of a sample look like beyond their type: an id, or one of a few values."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

_ENOUGH: Final = 20  # values before anything is said about them
_MOST_VALUES: Final = 20
_REPEATS: Final = 5  # how often each of a few values must occur on average
_ID_NAME: Final = re.compile(r"(^|_)(id|uuid|guid|key|code|number|no|nr)($|_)|(Id|ID|Key|Code|Number)$", re.IGNORECASE)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,79}")


@dataclass(frozen=True, slots=True)
class Look:
    """What the values of a field look like.

    Attributes:
        kind: a time, an id, or one of a few values.
        why: one sentence for people.
        values: those that were seen, most frequent first, where they are few.
    """

    kind: Literal["time", "id", "enum"]
    why: str
    values: tuple[str, ...] = ()


def looks_of(name: str, given: list[str], *, texts: bool) -> tuple[Look, ...]:
    """Looks of a field's values.

    Args:
        name: of the field.
        given: its values as texts, without nulls; whole numbers in their digits.
        texts: False for whole numbers, which are ids or codes only where their name says so.
    """
    if len(given) < _ENOUGH:
        return ()
    counts = Counter(given)
    if texts and all(_UUID.fullmatch(value) for value in counts):
        return (Look("id", f"All values are UUIDs; {len(counts)} of {len(given)} are distinct."),)
    if len(counts) == len(given) and all(_TOKEN.fullmatch(value) for value in given) and (texts or _ID_NAME.search(name)):
        return (Look("id", f"All {len(given)} values are distinct."),)
    if len(counts) <= min(_MOST_VALUES, len(given) // _REPEATS) and (texts or _ID_NAME.search(name)):
        values = tuple(value[:80] for value, _ in counts.most_common())
        return (Look("enum", f"Only {len(counts)} distinct values in {len(given)} records.", values),)
    return ()
