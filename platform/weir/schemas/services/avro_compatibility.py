"""Whether data of one Avro schema can be read with another: "Schema Resolution" of the
specification, over schemas alone.
"""

import time
from dataclasses import dataclass, field
from typing import Final

from jobs.formats.avro_leaves import PROMOTED, described, logical_mismatch
from jobs.formats.avro_resolution import Resolution
from jobs.formats.avro_tree import ABSENT, AvroField, AvroType
from weir.schemas.services.differences import TOO_LARGE, Difference

_DECIMAL: Final = "DECIMAL_MISMATCH"
_LOGICAL: Final = "LOGICAL_TYPE_MISMATCH"
_OF_VALUES: Final = ("MISSING_ENUM_SYMBOLS", "MISSING_UNION_BRANCH")
"""Rules by which some values can be read, and others not."""
MAX_STEPS: Final = 200_000  # pairs of types that are held against each other
MAX_CPU_S: Final = 3.0  # processor time of this thread

Pair = tuple[int, int]


@dataclass
class _Run:
    """One comparison.

    Records that stand in several places are compared once: thirty, each of which names the next one twice,
    stand in a thousand million places. What was found of a pair holds as long as the pairs around it do that
    it took for granted, so it is forgotten when one of those turns out to differ.

    Attributes:
        under_way: pairs of named types whose comparison has begun.
        known: what was found of pairs, with paths that begin at the pair; the newest last.
        steps: pairs compared so far.
        until: when to give up, in the thread's processor time.
        resolution: makes defaults, each once.
    """

    under_way: set[Pair] = field(default_factory=set)
    known: dict[Pair, list[Difference]] = field(default_factory=dict)
    steps: int = 0
    until: float = field(default_factory=lambda: time.thread_time() + MAX_CPU_S)
    resolution: Resolution = field(default_factory=Resolution)

    def is_over(self) -> bool:
        """Count a step; true when there may be no more."""
        self.steps += 1
        return self.steps > MAX_STEPS or time.thread_time() > self.until

    def forget_equal(self, before: int) -> None:
        """Forget pairs without differences, but for the first ones."""
        for later in list(self.known)[before:]:
            if not self.known[later]:
                del self.known[later]


def avro_differences(reader: AvroType, writer: AvroType) -> list[Difference]:
    """Reasons why `reader` cannot read what `writer` wrote; none: it can, whatever the values. Of records
    that stand in several places, all reasons are given for the first.
    """
    return _compare(reader, writer, "", _Run())


def _compare(reader: AvroType, writer: AvroType, at: str, run: _Run) -> list[Difference]:
    if run.is_over():
        return [TOO_LARGE.at(at)]
    if not (reader.name and writer.name):
        return _pair(reader, writer, at, run)
    pair = (id(reader), id(writer))
    if pair in run.under_way:  # a recursive schema comes back to where it was
        return []
    found = run.known[pair][:1] if pair in run.known else _named_pair(pair, reader, writer, run)
    return [gap.under(at) for gap in found]


def _named_pair(pair: Pair, reader: AvroType, writer: AvroType, run: _Run) -> list[Difference]:
    before = len(run.known)
    run.under_way.add(pair)
    found = _pair(reader, writer, "", run)
    run.under_way.discard(pair)
    if found:
        run.forget_equal(before)
    run.known[pair] = found
    return found


def _pair(reader: AvroType, writer: AvroType, at: str, run: _Run) -> list[Difference]:
    if writer.kind == "union":
        return [found for branch in writer.parts for found in _compare(reader, branch, at, run)]
    if reader.kind == "union":
        return _into_union(reader, writer, at, run)
    if reader.kind == writer.kind:
        return _same_kind(reader, writer, at, run)
    if reader.kind in PROMOTED.get(writer.kind, ()):
        return _logical(reader, writer, at)
    return [_type_mismatch(reader, writer, at)]


def _type_mismatch(reader: AvroType, writer: AvroType, at: str) -> Difference:
    wider = sorted(PROMOTED.get(writer.kind, ()))
    allowed = f"Allowed: {' or '.join([writer.described, *wider])}, or a union with it."
    return Difference(
        "TYPE_MISMATCH", at, f"{writer.described} can't be read as {reader.described}.", allowed
    )


def _into_union(reader: AvroType, writer: AvroType, at: str, run: _Run) -> list[Difference]:
    tried = [_compare(part, writer, at, run) for part in reader.parts]
    # The decoder takes the branch of the same name, where it can read some of the values.
    named = _named_alike(reader, writer)
    if named is not None and any(found.rule in _OF_VALUES for found in tried[named]):
        return tried[named]
    if any(not found for found in tried):
        return []
    like = next(
        (found for part, found in zip(reader.parts, tried, strict=True) if part.kind == writer.kind), None
    )
    if like is not None and writer.kind in ("record", "array", "map", "enum"):
        return like
    for found in tried:
        if found[0].rule in (_DECIMAL, _LOGICAL):
            return found
    message = f"{reader.described} has no branch for {writer.described}."
    return [
        Difference("MISSING_UNION_BRANCH", at, message, f"Allowed: the union with {writer.described} added.")
    ]


def _named_alike(union: AvroType, writer: AvroType) -> int | None:
    """Which branch has the writer's whole name, else its short name; as `avro_resolution.branch_for`."""
    alike = [at for at, part in enumerate(union.parts) if writer.name and _is_alike(part, writer)]
    return min(alike, key=lambda at: union.parts[at].name != writer.name, default=None)


def _is_alike(part: AvroType, writer: AvroType) -> bool:
    return part.kind == writer.kind and part.short_name == writer.short_name


def _same_kind(reader: AvroType, writer: AvroType, at: str, run: _Run) -> list[Difference]:
    match reader.kind:
        case "record":
            return _name(reader, writer, at) or _fields(reader, writer, at, run)
        case "enum":
            return _name(reader, writer, at) or _enum(reader, writer, at)
        case "fixed":
            return [*_name(reader, writer, at), *_fixed(reader, writer, at), *_logical(reader, writer, at)]
        case "array":
            return _compare(reader.parts[0], writer.parts[0], f"{at}[]", run)
        case "map":
            return _compare(reader.parts[0], writer.parts[0], f"{at}{{}}", run)
        case _:
            return _logical(reader, writer, at)


def _name(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    if reader.short_name == writer.short_name or writer.name in reader.aliases:
        return []
    message = f"{writer.described} is not {reader.described}."
    allowed = f"Allowed: the name {writer.short_name}, or the alias {writer.name}."
    return [Difference("NAME_MISMATCH", at, message, allowed)]


def _fields(reader: AvroType, writer: AvroType, at: str, run: _Run) -> list[Difference]:
    written = {part.name: part for part in writer.fields}
    return [gap for wanted in reader.fields for gap in _field(wanted, written, at, run)]


def _field(wanted: AvroField, written: dict[str, AvroField], at: str, run: _Run) -> list[Difference]:
    here = f"{at}.{wanted.name}" if at else wanted.name
    source = next((written[known] for known in (wanted.name, *wanted.aliases) if known in written), None)
    if source is not None:
        return _compare(wanted.type, source.type, here, run)
    if wanted.default is not ABSENT:
        return _default(wanted, here, run)
    allowed = "Allowed: the field with a default, or with an alias of a field in the writer schema."
    return [
        Difference(
            "READER_FIELD_MISSING_DEFAULT_VALUE",
            here,
            "The writer schema lacks this field, and it has no default.",
            allowed,
        )
    ]


def _default(wanted: AvroField, here: str, run: _Run) -> list[Difference]:
    """A field that the writer lacks reads its default, which may be beyond its type: then no record is
    read.
    """
    try:
        run.resolution.default_of(wanted)
    except (OverflowError, ValueError) as error:
        allowed = f"Allowed: a default that is {wanted.type.described}."
        message = f"The writer schema lacks this field, and its default can't be read: {error}"[:300]
        return [Difference("READER_FIELD_DEFAULT_UNREADABLE", here, message, allowed)]
    return []


def _enum(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    missing = [symbol for symbol in writer.symbols if symbol not in reader.symbol_set]
    if not missing or reader.default is not None:
        return []
    message = f"The reader schema lacks {', '.join(missing[:20])}."
    return [
        Difference(
            "MISSING_ENUM_SYMBOLS", at, message, "Allowed: an enum with these symbols, or with a default."
        )
    ]


def _fixed(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    if reader.size == writer.size:
        return []
    message = f"{writer.size} bytes can't be read as {reader.size}."
    return [Difference("FIXED_SIZE_MISMATCH", at, message, f"Allowed: the size {writer.size}.")]


def _logical(reader: AvroType, writer: AvroType, at: str) -> list[Difference]:
    message = logical_mismatch(writer, reader)
    if not message:
        return []
    rule = _DECIMAL if reader.logical == writer.logical == "decimal" else _LOGICAL
    return [Difference(rule, at, message, f"Allowed: {described(writer)}, or no logical type.")]
