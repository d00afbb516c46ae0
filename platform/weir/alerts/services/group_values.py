"""The values that tell the alerts of a rule over rows apart, each of a size that many alerts can keep."""

import hashlib
import json
from typing import Any, Final

from jobs.base.storable import without_nul

MAX_CHARACTERS: Final = 500  # of a value as JSON; a row may have megabytes, and a rule 500 open alerts
SHOWN_CHARACTERS: Final = 200  # of a longer one
_SHORT: Final = MAX_CHARACTERS // 13  # a character is at most twelve as JSON


def group_value(value: Any) -> Any:
    """A field's value as a group has it: of a long one the first characters, and a digest of all.

    Args:
        value: as it is in the row, or in the key of one that was deleted.

    Returns:
        The same for the same value, whatever the order of a nested value's fields.
    """
    if value is None or isinstance(value, int | float):
        return value
    value = without_nul(value)
    if isinstance(value, str) and len(value) <= _SHORT:
        return value  # most are, and each row of a rule comes here
    text = json.dumps(value, sort_keys=True)
    if len(text) <= MAX_CHARACTERS:
        return value
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    shown = value if isinstance(value, str) else text
    return f"{shown[:SHOWN_CHARACTERS]}… ({digest})"
