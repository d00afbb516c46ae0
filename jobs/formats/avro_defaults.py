"""Defaults of fields: JSON in the schema, measured when it is read.

`jvm/src/weir/decode/AvroDefaults.java` counts the same.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from jobs.formats.avro_tree import ABSENT, MAX_NESTING, AvroField, AvroSchemaError, AvroType

MAX_CHECKS: Final = 500_000
"""Parts of a schema's defaults that are held against types: half a second. A union of 4,000 branches and a
list of 80,000 parts fit into the text of a schema; together they'd take minutes."""
MAX_DEFAULT_VALUES: Final = 1_000_000
"""What all defaults of a schema become: items, members and branches, and an eighth of each text. An object of
two signs has the defaults of its type, each of which may be such a list again."""
TEXT_SIGNS: Final = 8  # of a text that stands in a schema, which are as much as a value


class DefaultSizes:
    """Which JSON values are defaults of which types, and what they become. Each object or list is held
    against each type once, as long as this lives: where unions of records stand in unions of records, every
    branch would be tried again in every branch around it. Of a record only what is written in the value is
    looked at: it may be two signs, for thousands of fields.
    """

    def __init__(self, most: float = float("inf")) -> None:
        """`most`: checks, of all values together."""
        self._checks = 0
        self._most = most
        self._known: dict[tuple[int, int], int | None] = {}
        self._records: dict[int, _Record] = {}

    def of(self, value: Any, node: AvroType) -> int | None:
        """How many values (`MAX_DEFAULT_VALUES`) a default of this type becomes; None: it is none.

        Args:
            value: JSON, which is kept alive as long as this is used.
            node: its type; of a union any of the branches may fit.

        Raises:
            AvroSchemaError: it takes more checks than are left.
        """
        return self._size(value, node, 0)

    def branch_of(self, value: Any, union: AvroType) -> AvroType:
        """The first branch of which a value is a default.

        Raises:
            AvroSchemaError: it is a default of none.
        """
        for branch in union.parts:
            if self.of(value, branch) is not None:
                return branch
        raise AvroSchemaError(f"A default isn't a valid {union.described[:200]}.")

    def _size(self, value: Any, node: AvroType, depth: int) -> int | None:
        self._checks += 1
        if self._checks > self._most:
            raise AvroSchemaError(f"Checking the schema's defaults takes more than {MAX_CHECKS:,} steps.")
        if depth > MAX_NESTING:
            return None
        if not isinstance(value, dict | list):
            return self._size_inside(value, node, depth + 1)
        pair = (id(value), id(node))
        if pair not in self._known:
            self._known[pair] = self._size_inside(value, node, depth + 1)
        return self._known[pair]

    def _size_inside(self, value: Any, node: AvroType, depth: int) -> int | None:
        match node.kind:
            case "union":
                return self._of_union(value, node, depth)
            case "array":
                return self._of_all(value, node.parts[0], depth) if isinstance(value, list) else None
            case "map":
                return self._of_map(value, node.parts[0], depth) if isinstance(value, dict) else None
            case "record":
                return self._of_record(value, node, depth) if isinstance(value, dict) else None
            case _:
                return _of_leaf(value, node)

    def _of_union(self, value: Any, node: AvroType, depth: int) -> int | None:
        for branch in node.parts:
            size = self._size(value, branch, depth)
            if size is not None:
                return size + len(node.parts)
        return None

    def _of_all(self, values: Iterable[Any], node: AvroType, depth: int) -> int | None:
        total = 0
        for value in values:
            size = self._size(value, node, depth)
            if size is None:
                return None
            total += 1 + size
        return total

    def _of_map(self, value: dict[str, Any], node: AvroType, depth: int) -> int | None:
        total = self._of_all(value.values(), node, depth)
        return None if total is None else total + sum(len(key) // TEXT_SIGNS for key in value)

    def _of_record(self, value: dict[str, Any], node: AvroType, depth: int) -> int | None:
        record = self._record(node)
        if not value.keys() >= record.required:
            return None
        total = record.size
        for name, part in value.items():
            field = record.fields.get(name)
            if field is None:
                continue
            size = self._size(part, field.type, depth)
            if size is None:
                return None
            total += size - field.default_size
        return total

    def _record(self, node: AvroType) -> "_Record":
        if not node.fields:  # it has none yet: the default is one of its own
            return _Record(node)
        if id(node) not in self._records:
            self._records[id(node)] = _Record(node)
        return self._records[id(node)]


class _Record:
    """What a default of a record's type is held against.

    Attributes:
        required: names of fields without a default.
        fields: by name.
        size: of a record whose fields all have their defaults.
    """

    def __init__(self, node: AvroType) -> None:
        self.required = frozenset(field.name for field in node.fields if field.default is ABSENT)
        self.fields: dict[str, AvroField] = {field.name: field for field in node.fields}
        self.size = len(node.fields) + sum(field.default_size for field in node.fields)


def _of_leaf(value: Any, node: AvroType) -> int | None:
    if not _LEAVES[node.kind](value, node):
        return None
    return len(value) // TEXT_SIGNS if isinstance(value, str) else 0


def _is_bytes(value: Any) -> bool:
    """JSON holds bytes as a string of the signs U+0000 to U+00FF."""
    try:
        return isinstance(value, str) and value.encode("latin-1") is not None
    except UnicodeEncodeError:
        return False


def _is_integer(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**bits) <= value < 2**bits


def _is_real(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or value in ("NaN", "Infinity", "-Infinity")


_LEAVES: Final[dict[str, Callable[[Any, AvroType], bool]]] = {
    "null": lambda value, _: value is None,
    "boolean": lambda value, _: isinstance(value, bool),
    "string": lambda value, _: isinstance(value, str),
    "bytes": lambda value, _: _is_bytes(value),
    "fixed": lambda value, node: isinstance(value, str) and len(value) == node.size and _is_bytes(value),
    "enum": lambda value, node: isinstance(value, str) and value in node.symbol_set,
    "int": lambda value, _: _is_integer(value, 31),
    "long": lambda value, _: _is_integer(value, 63),
    "float": lambda value, _: _is_real(value),
    "double": lambda value, _: _is_real(value),
}
