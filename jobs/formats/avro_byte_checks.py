"""What fastavro does not notice, told from an Avro record's bytes before it reads them.

How many values it holds, because they become Python's objects, which take a hundred times as much: a record
of a megabyte may hold a million records of one byte each, some 700 MB in Python. Only large records are
looked through: the items of others are bounded by their size.

And whole numbers that no writer writes: of more than 64 bits; a block of -2^63 items, which fastavro takes
for an empty one; a branch or symbol below zero, which it counts from the end. Only records are looked through
that could have one.
"""

import re
from collections.abc import Callable
from typing import Final

from jobs.formats.avro_tree import AvroType

CHECK_ABOVE_BYTES: Final = 100_000  # bytes; what is smaller holds no more items than this
MAX_ITEMS: Final = 200_000  # of all arrays and maps of a record together

_MIN_COUNT: Final = -(2**63)
_LONG_NUMBER: Final = rb"[\x80-\xff]{9}"  # followed by one byte at least
_TOO_LONG: Final = "A whole number in the record has more than 64 bits."
_BELOW_ZERO: Final = "A union's branch or an enum's symbol in the record has a negative index."

_FIXED: Final = {"null": 0, "boolean": 1, "float": 4, "double": 8}


class _TooMany(Exception):  # noqa: N818 - it ends the walk
    """There are more items than may be."""


class _NoNumber(Exception):  # noqa: N818 - it ends the walk
    """A whole number is none, for this reason."""


def number_check(schema: AvroType) -> Callable[[bytes], str]:
    """The check of a record's whole numbers.

    Args:
        schema: of the writer; it is not recursive.

    Returns:
        Takes the record's bytes without a frame; gives what is wrong with one of its whole numbers, or "".
    """
    suspicious = re.compile(b"|".join([_LONG_NUMBER, *_negative_indexes(schema)]))

    def check(body: bytes) -> str:
        if suspicious.search(body) is None:
            return ""
        try:
            _Walk(body, len(body)).over(schema, 0)
        except _NoNumber as reason:
            return f"{reason}"
        except (_TooMany, IndexError):  # the decoder notices that itself
            return ""
        return ""

    return check


def _negative_indexes(schema: AvroType) -> list[bytes]:
    """A pattern of the bytes with which indexes begin that fastavro counts from the end; none without any."""
    most, seen, left = 0, set[int](), [schema]
    while left:
        node = left.pop()
        if id(node) not in seen:
            seen.add(id(node))
            left += [*node.parts, *(field.type for field in node.fields)]
            most = max(most, len(node.symbols), len(node.parts) if node.kind == "union" else 0)
    # Zigzag: the lowest bit is the sign, the highest says that more bytes follow.
    firsts = [first | more for first in range(1, min(2 * most, 0x80), 2) for more in (0, 0x80)]
    return [b"[" + re.escape(bytes(firsts)) + b"]"] if firsts else []


def exceeds_item_limit(schema: AvroType, body: bytes) -> bool:
    """Whether a record has more than `MAX_ITEMS` items; false for bytes that are no record of the schema: the
    decoder says why.

    Args:
        schema: of the writer; it is not recursive.
        body: the record's bytes without a frame.
    """
    if len(body) <= CHECK_ABOVE_BYTES:
        return False
    try:
        _Walk(body, MAX_ITEMS).over(schema, 0)
    except _TooMany:
        return True
    except (_NoNumber, IndexError):
        return False
    return False


class _Walk:
    """One walk over the bytes of a record."""

    def __init__(self, body: bytes, max_items: int) -> None:
        self._body = body
        self._max_items = max_items
        self._items = 0

    def over(self, node: AvroType, at: int) -> int:
        """The place behind a value of this type.

        Raises:
            IndexError: the bytes end before, or name a branch that is not there.
            _NoNumber: a whole number is none.
            _TooMany: there are more items than may be.
        """
        match node.kind:
            case "record":
                for part in node.fields:
                    at = self.over(part.type, at)
                return at
            case "array" | "map":
                return self._blocks(node, at)
            case "union":
                branch, at = self._index(at)
                return self.over(node.parts[branch], at)
            case "bytes" | "string":
                size, at = self._long(at)
                return self._behind(at, size)
            case "fixed":
                return self._behind(at, node.size)
            case "int" | "long":
                return self._long(at)[1]
            case "enum":
                return self._index(at)[1]
            case kind:
                return self._behind(at, _FIXED[kind])

    def _blocks(self, node: AvroType, at: int) -> int:
        part, is_map = node.parts[0], node.kind == "map"
        while True:
            count, at = self._long(at)
            if count == 0:
                return at
            if count < 0:
                count, at = -count, self._long(at)[1]
            if count == -_MIN_COUNT:
                raise _NoNumber(_TOO_LONG)
            self._items += count
            if self._items > self._max_items:
                raise _TooMany
            for _ in range(count):
                if is_map:
                    size, at = self._long(at)
                    at = self._behind(at, size)
                at = self.over(part, at)

    def _behind(self, at: int, size: int) -> int:
        if size < 0 or at + size > len(self._body):
            raise IndexError(size)
        return at + size

    def _index(self, at: int) -> tuple[int, int]:
        found, at = self._long(at)
        if found < 0:
            raise _NoNumber(_BELOW_ZERO)
        return found, at

    def _long(self, at: int) -> tuple[int, int]:
        found = shift = 0
        while True:
            byte = self._body[at]
            at += 1
            if shift == 63 and byte & 0x7F > 1:  # decoders leave these bits out, and go on behind
                raise _NoNumber(_TOO_LONG)
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (found >> 1) ^ -(found & 1), at
            shift += 7
            if shift > 63:
                raise _NoNumber(_TOO_LONG)
