"""Random rows for hypothesis: disorder, lateness, repeats, nulls, NaN, extreme numbers, times around clock changes."""

from typing import Any

from hypothesis import strategies as st

from tests.oracle.script import TOMBSTONE

Records = list[tuple[int, dict[str, Any]]]

FIELDS = {"k": "string", "x": "int", "big": "long", "y": "double", "price": "decimal(10,2)", "tags": "array<string>"}
CONTRACT = {"fields": [{"name": name, "type": type_, "nullable": True} for name, type_ in FIELDS.items()]}

TABLE_FIELDS = {"k": "string", "v": "int", "name": "string"}
TABLE = {
    "kind": "table",
    "key": ["k"],
    "fields": [{"name": name, "type": type_, "nullable": name != "k"} for name, type_ in TABLE_FIELDS.items()],
}

# Around these instants zones change their clocks, months and weeks begin, and nothing special happens.
STARTS = (
    1_767_261_600_000_000,  # 2026-01-01T10:00:00Z
    1_774_745_940_000_000,  # 2026-03-29T00:59:00Z: one minute before Berlin skips an hour
    1_792_889_940_000_000,  # 2026-10-25T00:59:00Z: one minute before Berlin repeats one
    1_775_005_140_000_000,  # 2026-04-01T00:59:00Z
)
KEYS = ("a", "b", "A ", "é")
EXTREMES = {
    "x": [0, 1, -1, 7, 2**31 - 1, -(2**31)],
    "big": [0, 3, 2**62, -(2**62), 2**63 - 1, -(2**63)],
    "y": [0.0, -0.0, 0.1, 1.5, -2.25, 1e300, 5e-324, "NaN", "Infinity", "-Infinity"],
    "price": ["0.00", "1.50", "-0.01", "99999999.99", "-99999999.99"],
    "tags": [[], ["a"], ["b", "a", None], [None], ["é", "a ", "a"]],
}


@st.composite
def records(draw: st.DrawFn, start: int, spread_ms: int) -> Records:
    """Rows of one batch: times in whole ms, in no order, some of them equal."""
    values = st.fixed_dictionaries(
        {"k": st.sampled_from([*KEYS, None]), **{name: st.sampled_from([*given, None]) for name, given in EXTREMES.items()}}
    )
    found = draw(st.lists(st.tuples(_times(draw, start, spread_ms), values), max_size=5))
    return found + found[: draw(st.integers(0, 1))]


@st.composite
def table_records(draw: st.DrawFn, start: int, spread_ms: int) -> Records:
    """Entries of a table in one batch; a third of them are tombstones."""
    rows = st.fixed_dictionaries(
        {"k": st.sampled_from(KEYS), "v": st.sampled_from([0, 1, -1, 7, None]), "name": st.sampled_from(["A", "", None])}
    )
    gone = st.sampled_from(KEYS).map(lambda key: {TOMBSTONE: {"k": key}})
    return draw(st.lists(st.tuples(_times(draw, start, spread_ms), st.one_of(rows, rows, gone)), max_size=4))


def _times(draw: st.DrawFn, start: int, spread_ms: int) -> st.SearchStrategy[int]:
    step_ms = draw(st.sampled_from([1, 500, 1_000]))
    return st.integers(0, spread_ms // step_ms).map(lambda steps: start + steps * step_ms * 1_000)
