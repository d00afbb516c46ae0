"""Values of a writer's schema as values of a reader's: one function per pair of schemas, composed once,
called per record.

The rules are those of "Schema Resolution" in the Avro specification. Raw values are what fastavro reads under
`decoding_schema`; results are the Python values of `jobs.formats.records.Row`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.budget import spend, watched
from jobs.formats.avro_defaults import TEXT_SIGNS, DefaultSizes
from jobs.formats.avro_leaf_values import Read, leaf_default, leaf_read
from jobs.formats.avro_leaves import PROMOTED, logical_mismatch
from jobs.formats.avro_schema_json import WIDE_FIELD, is_wide, plain_name, wide_branch
from jobs.formats.avro_tree import ABSENT, AvroField, AvroType
from jobs.formats.avro_types import branches_of, merged_type

MAX_STEPS: Final = 50_000
"""Pairs of types that are held against each other: 2,000 fields that are nullable lists of nullable values
take ten each. `jvm/src/weir/decode/AvroResolution.java` counts the same."""
SYMBOLS_PER_STEP: Final = 8  # of a table of symbols, which is made for each pair of enums
_PYTHON_KINDS: Final = {
    type(None): ("null",),
    bool: ("boolean",),
    int: ("int", "long"),
    float: ("float", "double"),
    bytes: ("bytes",),
    str: ("string",),
    list: ("array",),
    dict: ("map",),
}


class NoResolution(Exception):  # noqa: N818  (the schemas do not fit, nothing failed)
    """A writer's schema, or a value of it, has no counterpart in the reader's."""

    def __init__(self, detail: str, at: str = "") -> None:
        super().__init__(f"{at}: {detail}" if at else detail)


class _TooManySteps(Exception):  # noqa: N818 - it ends a resolution
    """More pairs of types were held against each other than may be."""


Pair = tuple[int, int]


@dataclass(slots=True)
class Resolution:
    """The resolution of one schema's values to another's, and what it found; both schemas stay as they are.

    Attributes:
        steps: pairs of types held against each other so far.
        branches: of a writer and a reader's union, the branch that takes its values.
        unreadable: of a branch of a writer's union and a reader, those that do not fit.
        defaults: by field, made once however many writers lack the field; the error of one that can't be.
        weights: of these defaults, which `jobs.formats.avro_member_limit` counts.
        alike: the branches of a reader's union by kind and short name.
        members: of a reader's union.
        symbols: of a writer's enum, what the reader makes of each.
        symbol_weights: which `jobs.formats.avro_member_limit` counts.
    """

    steps: int = 0
    branches: dict[Pair, AvroType] = field(default_factory=dict)
    unreadable: set[Pair] = field(default_factory=set)
    defaults: dict[int, Any] = field(default_factory=dict)
    weights: dict[int, int] = field(default_factory=dict)
    alike: dict[int, dict[tuple[str, str], list[AvroType]]] = field(default_factory=dict)
    members: dict[int, "Members"] = field(default_factory=dict)
    symbols: dict[Pair, dict[str, str | None]] = field(default_factory=dict)
    symbol_weights: dict[Pair, dict[str, int]] = field(default_factory=dict)

    def count(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            _TooManySteps: there may be no more.
        """
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise _TooManySteps

    def members_of(self, union: AvroType) -> "Members":
        """The members of a reader's union."""
        if id(union) not in self.members:
            self.members[id(union)] = members_of(union)
        return self.members[id(union)]

    def symbols_of(self, writer: AvroType, reader: AvroType) -> dict[str, str | None]:
        """What the reader makes of each symbol of a writer's enum; None: nothing. One for all fields."""
        pair = (id(writer), id(reader))
        if pair not in self.symbols:
            self.count(len(writer.symbols) // SYMBOLS_PER_STEP)
            self.symbols[pair] = {
                symbol: symbol if symbol in reader.symbol_set else reader.default for symbol in writer.symbols
            }
        return self.symbols[pair]

    def default_of(self, part: AvroField) -> Any:
        """A field's default as a value.

        Raises:
            OverflowError, ValueError: it is beyond its type, as a date after 9999.
        """
        if id(part) not in self.defaults:
            self.defaults[id(part)] = _default_or_error(part, self)
        found = self.defaults[id(part)]
        if isinstance(found, Exception):
            raise found.with_traceback(None)  # it would grow with each time
        return found


def resolve(writer: AvroType, reader: AvroType, run: Resolution | None = None) -> Read:
    """The function that turns raw values of `writer` into values of `reader`.

    Args:
        writer: the schema of the values.
        reader: the schema that they are read with.
        run: learns which branches were chosen.

    Raises:
        NoResolution: no value could be turned. The function raises it for single values (a branch, a symbol),
            and ValueError or OverflowError for values beyond their type (a date after 9999, text that is no
            UTF-8).
        OverBudget: it takes more than the current budget has.
    """
    try:
        return _resolve(writer, reader, "", run or Resolution())
    except _TooManySteps as over:
        raise NoResolution(f"Resolving the schemas takes more than {MAX_STEPS:,} steps.") from over


def _resolve(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    run.count()
    if writer.kind == "union":
        return _from_union(writer, reader, at, run)
    if reader.kind == "union":
        branch, read = branch_for(writer, reader, at, run)
        return _as_member(run.members_of(reader), branch, read)
    if writer.kind == reader.kind and writer.kind in _SAME:
        return _SAME[writer.kind](writer, reader, at, run)
    if writer.kind == reader.kind or reader.kind in PROMOTED.get(writer.kind, ()):
        return _leaf(writer, reader, at)
    raise NoResolution(f"{writer.described} can't be read as {reader.described}.", at)


def _from_union(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    reads: list[Read] = []
    for branch in writer.parts:
        try:
            reads.append(_resolve(branch, reader, at, run))
        except NoResolution as missing:
            spend(1)  # as of the tries below
            run.unreadable.add((id(branch), id(reader)))
            reads.append(_raising(str(missing)))
    return by_branch(writer, reads)


def by_branch(union: AvroType, calls: list[Read]) -> Read:
    """The function that gives a raw value of a union to the call of its branch."""
    table: dict[Any, Read] = {}
    kinds = [branch.kind for branch in union.parts]
    for branch, call in zip(union.parts, calls, strict=True):
        if branch.name:
            table[plain_name(branch)] = call
        elif is_wide(branch.kind, kinds):
            table[wide_branch(branch.kind)] = _of_wide(call)
        else:
            table[next(kind for kind, names in _PYTHON_KINDS.items() if branch.kind in names)] = call

    def call_of(value: Any) -> Any:
        if type(value) is tuple:  # fastavro names the branch of named types
            return table[value[0]](value[1])
        return table[type(value)](value)

    return call_of


def _of_wide(read: Read) -> Read:
    return lambda value: read(value[WIDE_FIELD])


def _raising(detail: str) -> Read:
    def read(_: Any) -> Any:
        raise NoResolution(detail)

    return read


def branch_for(writer: AvroType, union: AvroType, at: str, run: Resolution) -> tuple[AvroType, Read]:
    """The branch of a reader's union that takes values of a writer, and how it reads them: that of its whole
    name, else one of its kind and short name, else the first that can.

    Raises:
        NoResolution: none does.
    """
    for branch in _tried(writer, union, run):
        try:
            read = _resolve(writer, branch, at, run)
        except NoResolution:
            spend(1)  # a schema's size bounds what fits, not how often it is tried in vain
            continue
        run.branches[id(writer), id(union)] = branch
        return branch, read
    raise NoResolution(f"{writer.described} is not a branch of {union.described}.", at)


def _tried(writer: AvroType, union: AvroType, run: Resolution) -> Iterator[AvroType]:
    """The branches in the order in which they are tried. Types of one short name may stand in a union in
    several namespaces, as versions of an event do.
    """
    if id(union) not in run.alike:
        alike: dict[tuple[str, str], list[AvroType]] = {}
        for branch in union.parts:
            alike.setdefault(_label(branch), []).append(branch)
        run.alike[id(union)] = alike
    label = _label(writer)
    yield from sorted(run.alike[id(union)].get(label, ()), key=lambda branch: branch.name != writer.name)
    yield from (branch for branch in union.parts if _label(branch) != label)


def _label(node: AvroType) -> tuple[str, str]:
    return node.kind, node.short_name


@dataclass(frozen=True, slots=True)
class Members:
    """What the values of a union become: a struct with one member per branch, or what its branch makes of
    them.

    Attributes:
        names: of members, by the branch's identity; of branches that make no struct there is none.
        empty: a struct whose members are all null.
    """

    names: dict[int, str]
    empty: dict[str, Any]

    def of(self, branch: AvroType) -> int:
        """How many members a value of a branch becomes; 0 where it becomes no struct."""
        return len(self.names) if id(branch) in self.names else 0


def members_of(union: AvroType) -> Members:
    """A union of several types is a struct with one member per branch, unless one type holds them all."""
    branches = branches_of(union)
    if len(branches) == 1 or merged_type(union) is not None:
        branches = ()
    names = {id(branch): f"member{at}" for at, branch in enumerate(branches)}
    return Members(names, dict.fromkeys(names.values()))


def _as_member(members: Members, branch: AvroType, read: Read) -> Read:
    name = members.names.get(id(branch))
    if name is None:
        return read
    empty = members.empty
    return lambda value: {**empty, name: read(value)}


def _record(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    if not _names_match(writer, reader):
        raise NoResolution(f"{writer.described} is not {reader.described}.", at)
    written = {part.name: part for part in writer.fields}
    reads: list[tuple[str, str, Read]] = []
    defaults: dict[str, Any] = {}
    unreadable = ""
    for part in reader.fields:
        here = f"{at}.{part.name}" if at else part.name
        source = written_field(part, written)
        if source is not None:
            reads.append((part.name, source.name, _resolve(source.type, part.type, here, run)))
        elif part.default is ABSENT:
            raise NoResolution("The writer schema lacks this field, and it has no default.", here)
        else:
            try:
                defaults[part.name] = run.default_of(part)
            except (OverflowError, ValueError) as error:
                unreadable = unreadable or f"The default of {here} can't be read: {error}"
    if unreadable:
        return _failing(unreadable)
    return _record_read(reads, defaults, [part.name for part in reader.fields])


def _failing(detail: str) -> Read:
    """Reads no value: each would have a default that is beyond its type."""

    def fail(_: Any) -> Any:
        raise OverflowError(detail)

    return fail


def written_field(field: AvroField, written: dict[str, AvroField]) -> AvroField | None:
    """The writer's field for one of the reader's, by its name or the first of its aliases."""
    return written.get(field.name) or next(
        (written[alias] for alias in field.aliases if alias in written), None
    )


def _record_read(reads: list[tuple[str, str, Read]], defaults: dict[str, Any], order: list[str]) -> Read:
    """Reads the fields of a record.

    Args:
        reads: the reader's name, the writer's name and how it is read, of each field that is written.
        defaults: of the others.
        order: of all fields, by the reader's names.
    """

    def read_record(value: Any) -> Any:
        spend(len(order))  # a record without a byte may have a thousand defaults
        return {name: read(value[source]) for name, source, read in reads}

    def read_in_order(value: Any) -> Any:
        found = read_record(value) | defaults
        return {name: found[name] for name in order}

    return read_in_order if defaults else read_record


def _names_match(writer: AvroType, reader: AvroType) -> bool:
    return writer.short_name == reader.short_name or any(writer.name == alias for alias in reader.aliases)


def _enum(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    if not _names_match(writer, reader):
        raise NoResolution(f"{writer.described} is not {reader.described}.", at)
    table = run.symbols_of(writer, reader)

    def read_enum(value: Any) -> Any:
        found = table[value]
        if found is None:
            raise NoResolution(f"{value} is not a symbol of {reader.described}, which has no default.", at)
        if len(found) >= TEXT_SIGNS:
            spend(len(found) // TEXT_SIGNS)  # a byte of the record stands for it
        return found

    return read_enum


def _fixed(writer: AvroType, reader: AvroType, at: str, _: Resolution) -> Read:
    if not _names_match(writer, reader) or writer.size != reader.size:
        raise NoResolution(
            f"The sizes differ: {writer.described} has {writer.size} bytes, {reader.described} has "
            f"{reader.size}.",
            at,
        )
    return _leaf(writer, reader, at)


def _array(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    read = _resolve(writer.parts[0], reader.parts[0], f"{at}[]", run)
    return lambda value: [read(part) for part in watched(value)]


def _map(writer: AvroType, reader: AvroType, at: str, run: Resolution) -> Read:
    read = _resolve(writer.parts[0], reader.parts[0], f"{at}{{}}", run)
    return lambda value: {key: read(part) for key, part in value.items()}


_SAME: Final[dict[str, Callable[[AvroType, AvroType, str, Resolution], Read]]] = {
    "record": _record,
    "enum": _enum,
    "fixed": _fixed,
    "array": _array,
    "map": _map,
}


def _leaf(writer: AvroType, reader: AvroType, at: str) -> Read:
    if mismatch := logical_mismatch(writer, reader):
        raise NoResolution(mismatch, at)
    return leaf_read(writer, reader)


def _default_or_error(part: AvroField, run: Resolution) -> Any:
    """A field's default as a value, or why there is none."""
    default = _Default(run)
    found = default.value(part.default, part.type)
    return default.error or found


class _Default:
    """A default that is made.

    Attributes:
        error: of the first part that is beyond its type.
    """

    def __init__(self, run: Resolution) -> None:
        self.error: Exception | None = None
        self._run = run
        self._sizes = DefaultSizes()

    def value(self, given: Any, node: AvroType) -> Any:
        """A part of it."""
        match node.kind:
            case "union":
                branch = self._sizes.branch_of(given, node)
                members = self._run.members_of(node)
                return _as_member(members, branch, lambda value: self.value(value, branch))(given)
            case "array":
                return [self.value(part, node.parts[0]) for part in watched(given)]
            case "map":
                return {key: self.value(part, node.parts[0]) for key, part in watched(given.items())}
            case "record":
                spend(0)
                return {
                    part.name: self.value(given.get(part.name, part.default), part.type)
                    for part in node.fields
                }
            case _:
                return self._leaf(given, node)

    def _leaf(self, given: Any, node: AvroType) -> Any:
        try:
            return leaf_default(given, node)
        except (OverflowError, ValueError) as error:
            self.error = self.error or error
            return None
