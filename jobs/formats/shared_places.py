"""How many fields may be read from one place of a record.

Each field's text, list or object is memory of its own: of a record of a megabyte that five hundred fields
read whole, an engine would hold half a gigabyte. Rows of a source are taken to be as large as their records
(`jobs.operators.relation.RECORD_BYTES`).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.base.types import BYTES, STRING, Array, Map, Struct, parse_type
from jobs.formats.avro_records import avro_fields, parsed
from jobs.formats.avro_tree import AvroSchemaError, AvroType
from jobs.formats.contract import FieldContract, StreamContract
from jobs.formats.record_formats import AvroEncoding, DebeziumEncoding
from jobs.formats.source_paths import SourcePath, path_text

MAX_READERS: Final = 8
_TEXTS: Final = ("string", "bytes", "fixed", "enum")


def check_shared_places(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """PARAMETER_RANGE where more than `MAX_READERS` fields hold what is in one place: those read from it, and
    from what it is in; in Avro also where so many fields of the reader's schema are one field of a writer's.
    """
    return [*_in_paths(contract, (*path, "fields")), *_in_schemas(contract, path)]


def _in_paths(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    """One problem for the value's fields, and one for the key's."""
    groups: tuple[list[tuple[int, FieldContract]], ...] = ([], [])
    for place, field in enumerate(contract.fields):
        if _has_any_size(field):
            groups[field.name in contract.key].append((place, field))
    return [found for group in groups if (found := _first(group, path)) is not None]


def _first(group: list[tuple[int, FieldContract]], path: DocumentPath) -> Problem | None:
    readers = Counter(field.read_from for _, field in group)
    for place, field in group:
        count = sum(readers[around] for around in _prefixes(field.read_from))
        if count > MAX_READERS:
            message = (
                f"{count} fields read {path_text(field.read_from)} or what contains it; "
                f"the limit is {MAX_READERS}."
            )
            hint = "Declare it once, and derive the others in a step."
            return problem("PARAMETER_RANGE", (*path, str(place), "path"), message, hint)
    return None


def _has_any_size(field: FieldContract) -> bool:
    declared = parse_type(field.type)
    return declared in (STRING, BYTES) or isinstance(declared, Array | Map | Struct)


def _prefixes(path: SourcePath) -> Iterator[SourcePath]:
    return (path[:length] for length in range(1, len(path) + 1))


def _in_schemas(contract: StreamContract, path: DocumentPath) -> list[Problem]:
    encoding = contract.encoding
    inner = encoding.inner if isinstance(encoding, DebeziumEncoding) else encoding
    place = ("encoding", "inner") if isinstance(encoding, DebeziumEncoding) else ("encoding",)
    found = []
    for part, here in ((inner, place), (contract.key_encoding, ("key_encoding",))):
        count = _readers_of(part) if isinstance(part, AvroEncoding) else 0
        if count > MAX_READERS:
            message = (
                f"Aliases give one field of a writer schema to {count} fields; the limit is {MAX_READERS}."
            )
            hint = "Remove aliases, and derive the others in a step."
            found.append(problem("PARAMETER_RANGE", (*path, *here, "schema"), message, hint))
    return found


def _readers_of(encoding: AvroEncoding) -> int:
    try:
        tree = parsed(encoding.avro_schema or "")
        if tree.kind == "record":
            avro_fields(encoding)  # recursive schemas, and those that are too large, are refused elsewhere
    except AvroSchemaError:
        return 0
    return _most(tree) if tree.kind == "record" else 0


def _most(node: AvroType) -> int:
    """How many texts and lists of the reader's one of the writer's may become."""
    match node.kind:
        case "record":
            readers: Counter[str] = Counter()
            for field in node.fields:
                most = _most(field.type)
                for name in {field.name, *field.aliases}:
                    readers[name] += most
            return max(readers.values(), default=0)
        case "array" | "map":
            return max(1, _most(node.parts[0]))
        case "union":
            return max(map(_most, node.parts), default=0)
    return int(node.kind in _TEXTS)
