"""Steps of a rendered script that keep state: the script contains the source text of stateful processors in
Python (`jobs/engine/script_processors`), since it has none of the JVM's operators that an engine has.

The processors import nothing of Weir but modules of the same package, whose text is included too. They
handle rows as JSON text, because pandas would turn a nullable long into a double.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from jobs.base.types import DataType
from jobs.expressions.spark_types import quoted
from jobs.operators.data_driven_windows import SlidingSpec
from jobs.operators.identity_sql import identity_sql
from jobs.operators.script_step import WATERMARK_COLUMN

FAR: Final = 2**62
"""After every instant, in microseconds: what never is late."""

_ENGINE: Final = Path(__file__).parents[1] / "engine" / "script_processors"
_PACKAGE: Final = "jobs.engine.script_processors."
_CONSTANT: Final = re.compile(r"[A-Z][A-Z_]*")


def write_sliding(window: SlidingSpec, slack: int, keys: list[DataType]) -> list[str]:
    """Lines that replace the variable ``keyed``: each row once for every window that contains it.

    Args:
        window: the sliding window.
        slack: of the step without the part that Spark already applies, in microseconds.
        keys: types of ``_key0``, ….
    """
    group = identity_sql([(f"_key{i}", of) for i, of in enumerate(keys)])
    start = f"timestamp_micros(_one._times + {1 - window.size.us}L)"
    struct = f"named_struct('start', {start}, 'end', timestamp_micros(_one._times + {slack}L))"
    return [
        "# Spark has no window per event: rows wait in a processor until the watermark has passed them, "
        "then say which rows",
        "# their windows hold, and what they measure is computed by Spark",
        "texts = keyed.select(",
        f"    F.expr({group!r}).alias('_group'),",
        f"    F.expr('unix_micros(_time) + {slack}L').alias('_closes_at', metadata={WATERMARK_COLUMN}),",
        "    F.to_json(F.struct(*keyed.columns), WRITING).alias('_row'),",
        ")",
        f"processor = SlidingProcessor({window.size.us}, {slack})",
        "grouped = texts.groupBy('_group')",
        "made = grouped.transformWithStateInPandas(processor, SLIDING_OUTPUT, 'Append', 'eventTime')",
        "rows_text = F.expr(\"concat('[', array_join(_rows, ','), ']')\")",
        "windows = made.select(",
        "    F.from_json(rows_text, ArrayType(keyed.schema), WRITING).alias('_rows'),",
        "    F.expr('explode(arrays_zip(_times, _firsts, _counts))').alias('_one'),",
        ")",
        "keyed = windows.select(",
        f"    F.expr({struct!r}).alias('_window', metadata={WATERMARK_COLUMN}),",
        "    F.expr('explode(slice(_rows, _one._firsts + 1, _one._counts))').alias('_row'),",
        ").select('_window', '_row.*')",
    ]


def write_expiring(
    names: list[str],
    keys: list[tuple[str, DataType]],
    order_key: list[tuple[str, DataType]],
    *,
    by_offset: bool,
    wait: int,
    deletes: bool,
) -> list[str]:
    """Lines that compute the variable ``newest`` from ``keyed``: columns ``_row``, the newest row of a key,
    and ``_deleted``, true also when the key expires.

    Args:
        names: declared fields.
        keys: key columns and their types.
        order_key: identity columns of the rows and their types.
        by_offset: the offset decides which row is newer, not the event time.
        wait: how far the watermark must pass the newest row of a key before the key expires, in microseconds.
        deletes: the column ``_deletes`` says whether a row deletes its key.
    """
    key = identity_sql([(quoted(name), of) for name, of in keys])
    ranks = identity_sql(
        [(quoted(name), of) for name, of in (order_key[1:] if by_offset else order_key)], ranked=True
    )
    own = ", ".join(repr(name) for name in (*(name for name, _ in keys), "_time"))
    whole = ", ".join(repr(name) for name in names)
    return [
        "# an aggregation never reports what it evicts, so the newest rows wait in a processor",
        "texts = keyed.select(",
        f"    F.expr({key!r}).alias('_key'),",
        "    F.expr('unix_micros(_time)').alias('_at'),",
        f"    F.expr({ranks!r}).alias('_order_key'),",
        f"    F.to_json(F.struct({whole}, {own}), WRITING).alias('_row'),",
        f"    F.to_json(F.struct({own}), WRITING).alias('_own'),",
        f"    F.expr({'_deletes' if deletes else 'false'!r}).alias('_deletes'),",
        f"    F.expr('{FAR}L').alias('_never', metadata={WATERMARK_COLUMN}),",
        ")",
        f"processor = LatestProcessor({by_offset}, {wait})",
        "grouped = texts.groupBy('_key')",
        "made = grouped.transformWithStateInPandas(processor, LATEST_OUTPUT, 'Update', 'eventTime')",
        f"schema = keyed.select({whole}, {own}).schema",
        "newest = made.select(F.from_json('_row', schema, WRITING).alias('_row'), '_deleted')",
    ]


@dataclass(frozen=True)
class Processors:
    """Import lines and definitions of the processors that a script needs; both empty if it needs none."""

    imports: tuple[str, ...] = ()
    text: str = ""


def processors_in(text: str) -> Processors:
    """The processors that the text of a script's steps calls, with the modules that they need."""
    named = [module for module in _modules() if any(f"{name}(" in text for name in module.classes)]
    needed = {name: _module(_ENGINE / f"{name}.py") for module in named for name in sorted(module.needs)}
    modules = [*needed.values(), *named]
    imports = sorted({line for module in modules for line in module.imports}, key=_import_order)
    return Processors(tuple(imports), "\n\n\n".join(module.code for module in modules))


@dataclass(frozen=True)
class _Module:
    """A module of processors: its classes, import lines, the modules of the same package that it needs, and
    the rest of its text.
    """

    classes: tuple[str, ...]
    imports: tuple[str, ...]
    needs: frozenset[str]
    code: str


@cache
def _modules() -> tuple[_Module, ...]:
    return tuple(map(_module, sorted(_ENGINE.glob("*_processor.py"))))


def _module(file: Path) -> _Module:
    text = file.read_text("utf-8")
    lines, body = text.splitlines(), ast.parse(text).body[1:]  # without the docstring
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [node for node in body if node not in imports]
    classes = tuple(node.name for node in rest if isinstance(node, ast.ClassDef))
    written, needs = _split_imports(imports, lines)
    return _Module(classes, written, needs, _code(rest, lines, file.stem.removesuffix("_processor").upper()))


def _split_imports(
    imports: list[ast.Import | ast.ImportFrom], lines: list[str]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The import lines that the script keeps, and the modules of the same package, whose text the script
    includes instead.
    """
    beside = {
        node.lineno: node.module.removeprefix(_PACKAGE)
        for node in imports
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_PACKAGE)
    }
    written = [lines[node.lineno - 1] for node in imports if node.lineno not in beside]
    return tuple(re.sub(r"  # .*$", "", line) for line in written), frozenset(beside.values())


def _code(rest: list[ast.stmt], lines: list[str], prefix: str) -> str:
    """The text from the first of these statements on.

    Constants get the module's name as a prefix, because a script may include several modules.
    """
    code = "\n".join(lines[rest[0].lineno - 1 :]).rstrip()
    for name in _constants(rest):
        code = re.sub(rf"\b{name}\b", f"{prefix}_{name}", code)
    return re.sub(r"  # (noqa|type):.*$", "", code, flags=re.MULTILINE)


def _constants(body: Iterable[ast.stmt]) -> list[str]:
    found: list[str] = []
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            found += [
                name.id for name in names if isinstance(name, ast.Name) and _CONSTANT.fullmatch(name.id)
            ]
    return found


def _import_order(line: str) -> tuple[bool, str]:
    """Sort key of import lines: the standard library first."""
    return ("pandas" in line or "pyspark" in line, line)
