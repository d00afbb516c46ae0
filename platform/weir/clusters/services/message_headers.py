"""Headers of a record, whichever program has written it."""

from operator import methodcaller
from typing import Any, Final

from confluent_kafka import Message

# Not called directly: CPython may then leave out the look at whether the client has failed, and goes on with
# what it has made by halves.
_HEADERS: Final = methodcaller("headers")


def headers_of(message: Message) -> list[tuple[str, Any]]:
    """Name and bytes of each header, in order.

    None where a name is not UTF-8: programs in C, Go or Rust can write such a name, and the client, which
    ends in the middle of it, can't be asked for the others.
    """
    try:
        return _HEADERS(message) or []
    except (SystemError, UnicodeDecodeError):
        # What it keeps has a hole where the name should be, and reading that ends Python.
        message.set_headers([])
        return []
