"""split in Spark (`docs/semantics/stateless-steps.md#split`)."""

from jobs.engine.columns import column, quoted
from jobs.engine.rows import Rows
from jobs.expressions.texts_sql import string_sql
from jobs.operators.relation import Relation
from jobs.operators.split import SplitBound

_WORD = r"[\p{L}\p{M}\p{N}_]+"


def lower(step: str, bound: SplitBound, inputs: tuple[Rows, ...], output: Relation) -> Rows:  # noqa: ARG001
    """One row per piece, in the field that the output relation names; the piece's index is appended to the
    identity.
    """
    rows = inputs[0]
    pieces = _pieces(bound)
    index = f"_index{rows.relation.index_depth}"
    kept = [column(quoted(name)) for name in output.schema.names if name != bound.as_]
    system = [column(quoted(name)) for name in rows.system]
    exploded = rows.frame.select(*kept, *system, column(f"posexplode({pieces})").alias(index, bound.as_))
    # Lower-cased after the explode: Spark generates no code for functions over the elements of an array.
    piece = column(f"lower({quoted(bound.as_)})" if bound.lower else quoted(bound.as_), bound.as_)
    declared = [piece if name == bound.as_ else column(quoted(name)) for name in output.schema.names]
    return Rows(exploded, rows.relation, rows.system).project(output, declared, (*rows.system, index))


def _pieces(bound: SplitBound) -> str:
    field = quoted(bound.field)
    if bound.by == "words":
        return f"regexp_extract_all({field}, {string_sql(_WORD)}, 0)"
    pattern = "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in bound.by)
    return f"filter(split({field}, {string_sql(pattern)}, -1), p -> p != '')"
