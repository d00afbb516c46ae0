"""Addresses of routes, for tests that go through all of them."""

import re
from collections.abc import Mapping
from typing import Final

# By the converter of a route's part: an id of its kind that nothing has.
_NOBODYS: Final = {
    "str": "unknown",
    "path": "unknown",
    "int": "999999",
    "uuid": "00000000-0000-0000-0000-000000000001",
}
_PART: Final = re.compile(r"<(\w+):(\w+)>")


def filled(route: str, ids: Mapping[str, str]) -> str:
    """A route with these ids in it.

    Raises:
        KeyError: the route has a part that is not among them.
    """
    return _PART.sub(lambda part: ids[part[2]], route)


def filled_with_unknown(route: str) -> str:
    """A route with ids that nothing has."""
    return _PART.sub(lambda part: _NOBODYS[part[1]], route)
