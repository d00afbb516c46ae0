"""A document as SQL text: a view per step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jobs.base.problems import DocumentPath
from jobs.document import JobDocument
from jobs.formats.contract import StreamContract
from jobs.plan.check import source_relation
from jobs.plan.draft import node_of
from jobs.sql.tokens import MAX_TEXT
from jobs.sql.write_aliases import join_aliases
from jobs.sql.write_joins import JOINS
from jobs.sql.write_steps import query_sql
from jobs.sql.write_values import UnsayableError, name_sql, reference_sql, value_sql, without_nulls


@dataclass(frozen=True)
class SqlText:
    """A document as SQL.

    Attributes:
        text: "" if a part of the document can't be said.
        refusals: path and reason of each such part.
    """

    text: str
    refusals: tuple[tuple[DocumentPath, str], ...] = ()


def write_sql(document: JobDocument, catalog: Mapping[str, StreamContract]) -> SqlText:
    """Write a document whose form is valid.

    Args:
        document: it may name streams that there are not.
        catalog: contracts of the streams and tables by name, as `read_sql` needs them: no alias has the name
            of a field.

    Returns:
        Text that `read_sql` turns into a document of the same meaning; text too long for it is refused.
    """
    plain = without_nulls(document.as_json())
    refusals: list[tuple[DocumentPath, str]] = []
    found = _read(document) - plain["outputs"].keys()
    parts = [_head(plain)]
    parts += [_source(name, source, is_found=name in found) for name, source in plain["sources"].items()]
    length = 0
    steps = plain.get("steps", {})
    joins = any(step["op"] in JOINS for step in steps.values())
    aliases = join_aliases(steps, _source_fields(plain["sources"], catalog) if joins else ())
    for name in _in_order(steps, document):
        if length > MAX_TEXT:
            return SqlText("", (((), f"as SQL it has more than {MAX_TEXT:,} characters"),))
        try:
            query = query_sql(steps[name], aliases)
        except (UnsayableError, ValueError) as error:
            refusals.append((("steps", name), str(error)))
        else:
            parts.append(f"CREATE VIEW {name_sql(name)} AS\n{query};")
            length += len(parts[-1])
    parts += [_output(name, output) for name, output in plain["outputs"].items()]
    if refusals:
        return SqlText("", tuple(refusals))
    return SqlText("\n\n".join(part for part in parts if part) + "\n")


def _source_fields(
    sources: Mapping[str, Mapping[str, Any]], catalog: Mapping[str, StreamContract]
) -> Iterator[str]:
    for name, source in sources.items():
        registered = source.get("table") or source["stream"]
        yield from source_relation(name, catalog.get(registered)).schema.names


def _head(plain: Mapping[str, Any]) -> str:
    given = {name: plain[name] for name in ("name", "description") if name in plain}
    given |= plain.get("settings", {})
    lines = [f"SET {value_sql(name)} = {value_sql(_text(value))};" for name, value in given.items()]
    return "\n".join(lines)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(document: JobDocument) -> set[str]:
    """The nodes that steps and outputs read."""
    references = [reference for step in document.steps.values() for _, reference in step.inputs()]
    references += [output.input for output in document.outputs.values()]
    return set(map(node_of, references))


def _source(name: str, source: Mapping[str, Any], *, is_found: bool) -> str:
    """A source's statement; "" for a stream under its own name that FROM finds: a query reads it, and no
    output has its name.
    """
    kind = "table" if source.get("table") else "stream"
    registered = source[kind]
    if is_found and kind == "stream" and registered == name and source.get("delay") is None:
        return ""
    options = f" WITH (delay = {value_sql(source['delay'])})" if source.get("delay") is not None else ""
    return f"CREATE SOURCE {name_sql(name)} FROM {kind.upper()} {name_sql(registered)}{options};"


def _output(name: str, output: Mapping[str, Any]) -> str:
    query = f"SELECT * FROM {reference_sql(output['input'])}"
    if output["to"] == "result":
        return f"CREATE MATERIALIZED VIEW {name_sql(name)} AS\n{query};"
    given = ", ".join(
        f"{option} = {value_sql(value)}" for option, value in output["to"].items() if value != {}
    )
    return f"CREATE SINK {name_sql(name)} AS\n{query}\nWITH ({given});"


def _in_order(steps: Mapping[str, Any], document: JobDocument) -> list[str]:
    """Steps after their inputs, otherwise in the document's order."""
    done: dict[str, None] = {}

    def visit(name: str, trail: frozenset[str]) -> None:
        if name in done or name in trail or name not in steps:
            return
        for _, reference in document.steps[name].inputs():
            visit(node_of(reference), trail | {name})
        done[name] = None

    for name in steps:
        visit(name, frozenset())
    return list(done)
