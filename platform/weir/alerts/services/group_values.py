"""The values that tell the alerts of a rule over rows apart, each of a size that many alerts can keep."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jobs.base.identities import identity_text
from jobs.base.storable import without_nul

MAX_CHARACTERS: Final = 500  # of a value as JSON; a row may have megabytes, and a rule 500 open alerts
SHOWN_CHARACTERS: Final = 200  # of a longer one
_CUT: Final = re.compile(r"… \([0-9a-f]{32}\)\Z")
_REPLACED: Final = without_nul("\0")
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


def whole_key(identity: Sequence[str], group: Mapping[str, Any]) -> str | None:
    """The key of the rows that a group is about.

    Args:
        identity: names of the fields whose values the key has, in order.
        group: values of these fields, as `group_value` gives them.

    Returns:
        The key; None where a value may have been cut or replaced, or has no form in keys that is known here.
    """
    values = [group[name] for name in identity]
    if not all(value is None or isinstance(value, bool | int | str) for value in values):
        return None
    if any(isinstance(value, str) and (_CUT.search(value) or _REPLACED in value) for value in values):
        return None
    return identity_text(values)
