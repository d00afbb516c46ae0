"""Random schemas and rows: disorder, lateness, duplicates, nulls, NaN, extremes, clock changes."""

from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle import random_names
from tests.oracle.random_names import Naming
from tests.oracle.random_times import DELAYS, clocks, clocks_of, timed
from tests.oracle.records import HEARTBEAT, TOMBSTONE
from tests.oracle.values import iso

Records = list[tuple[int, dict[str, Any]]]
Contract = dict[str, Any]

# Around these instants zones change their clocks, months and weeks begin, and nothing special happens.
STARTS = (
    1_767_261_600_000_000,  # 2026-01-01T10:00:00Z
    1_774_745_940_000_000,  # 2026-03-29T00:59:00Z: one minute before Berlin skips an hour
    1_792_889_940_000_000,  # 2026-10-25T00:59:00Z: one minute before Berlin repeats one
    1_775_005_140_000_000,  # 2026-04-01T00:59:00Z
    1_000_000,  # 1970-01-01T00:00:01Z: an event time is after 1970
    1_772_971_140_000_000,  # 2026-03-08T11:59:00Z: New York skips an hour on this day
    4_102_444_740_000_000,  # 2099-12-31T23:59:00Z
    1_325_239_140_000_000,  # 2011-12-30T09:59:00Z: one minute before Apia skips a day
)
WIDE: Final = "decimal(30,10)"
"""More digits than a long has, which Spark keeps as bytes; so few that no union or aggregate rounds them."""
LONG_AFTER = 40 * 86_400_000_000  # a row so much later closes every window

VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "int": [0, 1, -1, 7, 2**31 - 1, -(2**31)],
    "long": [0, 3, 2**62, -(2**62), 2**63 - 1, -(2**63)],
    "double": [0.0, -0.0, 0.1, 1.5, -2.25, 1e300, 5e-324, "NaN", "Infinity", "-Infinity"],
    "decimal(11,0)": ["0", "99999999999", "99999999998", "-7"],
    "decimal(10,2)": ["0.00", "1.50", "-0.01", "99999999.99", "-99999999.99"],
    "decimal(6,1)": ["0.0", "1.5", "-10.1", "99999.9"],
    WIDE: ["0.0000000000", "1.5000000000", "-99999999999999999999.9999999999"],
    "decimal(16,6)": ["0.000000", "1.500000", "-0.000001"],
    # Some are what texts are cast to.
    "string": [
        *("a", "b", "A ", "é", "Straße", "", "two words", "7"),
        *(" -1.5e3", "NaN", "true", "2026-03-29", "2026-01-01 10:00:00.5", "2026-03-29T03:30:00+02:00"),
    ],
    "bytes": ["", "AA==", "/wA=", "w6kgYQ=="],
    "timestamp": ["2026-03-29T01:00:00Z", "2026-01-01T10:00:00.000001Z", "1969-12-31T23:59:59.999999Z"],
    "date": ["2026-03-29", "1970-01-01", "2026-12-31"],
    "array<string>": [[], ["a"], ["b", "a", None], [None], ["é", "a ", "a"]],
    "struct<a:int,b:string>": [{"a": 1, "b": "a"}, {"a": None, "b": "é"}, {"a": 2**31 - 1, "b": None}],
    "struct<a:int,b:struct<x:int,k:string>>": [
        {"a": 1, "b": {"x": 7, "k": "a"}},
        {"a": None, "b": {"x": None, "k": None}},
        {"a": 0, "b": None},
    ],
    "array<struct<a:int,x:string>>": [
        [],
        [{"a": 1, "x": "b"}, None],
        [{"a": None, "x": None}, {"a": 3, "x": "é"}],
    ],
    "array<array<int>>": [[], [[]], [[1, None], None, [2]]],
    "map<string,int>": [{}, {"b": 1, "a": 2}, {"a": None}, {"é": -1, "z": 0}],
    "map<string,struct<a:int,b:string>>": [
        {},
        {"b": {"a": 1, "b": None}, "a": None},
        {"é": {"a": None, "b": "z"}},
    ],
}
NO_TIMES: Final = ("soon", "1969-12-31T23:59:59Z")
"""What the header of a heartbeat may say that is no event time: such a record is malformed."""
# Keys are few, so that rows meet.
KEYS: dict[str, list[Any]] = {
    # empty, composed and decomposed, beyond 16 bits, long
    "string": ["a", "b", "A ", "é", "e\u0301", "", "\U0001f600", "k" * 300],
    "int": [0, 7, -1],
    "long": [0, 7, 2**63 - 1],
    "decimal(10,2)": ["1.50", "-0.01", "12.00"],
    WIDE: ["0.0000000000", "1.5000000000", "-99999999999999999999.9999999999", "0.0000000001"],
    "date": ["2026-03-29", "1970-01-01"],
    "boolean": [True, False],
    "bytes": ["", "/wA="],
    "timestamp": ["2026-03-29T01:00:00Z", "2026-01-01T10:00:00.000001Z"],
}
FIELDS = {
    "x": ("int",),
    "n": ("int", "long"),
    "big": ("long",),
    "y": ("double",),
    "price": ("decimal(10,2)", "decimal(11,0)", "decimal(6,1)", WIDE),
    "flag": ("boolean",),
    "text": ("string",),
    "raw": ("bytes",),
    "at": ("timestamp",),
    "day": ("date",),
    "tags": ("array<string>",),
    "part": ("struct<a:int,b:string>",),
    "more": ("map<string,int>",),
    "deep": ("struct<a:int,b:struct<x:int,k:string>>",),
    "list": ("array<struct<a:int,x:string>>",),
    "grid": ("array<array<int>>",),
    "parts": ("map<string,struct<a:int,b:string>>",),
}
WIDER = {
    "int": ("int", "long", "double", "decimal(10,2)"),
    "long": ("long", "double"),
    "decimal(6,1)": ("decimal(6,1)", "decimal(10,2)"),
}


@st.composite
def _streams(draw: st.DrawFn, fields: list[dict[str, Any]], naming: Naming) -> Contract:
    """A contract of these fields with a delay, or none, and perhaps an event time from a field."""
    delay = draw(st.sampled_from([*({"delay": delay} for delay in DELAYS), {}]))
    return {**draw(_timed(fields, naming)), **delay}


@st.composite
def _timed(draw: st.DrawFn, fields: list[dict[str, Any]], naming: Naming) -> Contract:
    if draw(st.integers(0, 3)):
        return {"fields": fields}
    found, rule = draw(clocks(naming))
    if len({field["name"] for field in [*fields, *found]}) < len(fields) + len(found):
        return {"fields": fields}
    at = draw(st.integers(0, len(fields)))
    return {"fields": [*fields[:at], *found, *fields[at:]], **rule}


def key_of(contract: Contract) -> dict[str, Any]:
    """The field of few values that every schema has."""
    return next(field for field in contract["fields"] if field["name"] in random_names.KEYS)


@st.composite
def schemas(draw: st.DrawFn, naming: Naming, key: str | None = None) -> Contract:
    """A key `k` of this or any type, mostly an int `x`, and other fields, in any order, nullable or not."""
    key = key or draw(st.sampled_from(["string", "string", "string", *KEYS]))
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=2, max_size=6, unique=True))
    if draw(st.integers(0, 3)) and "x" not in names:
        names.append("x")
    types = {naming.field("k"): key} | {
        naming.field(name): draw(st.sampled_from(FIELDS[name])) for name in names
    }
    if naming.fields and draw(st.integers(0, 2)) == 0:
        # Beside a field another one whose name differs in case only.
        types.setdefault(
            draw(st.sampled_from(sorted(types))).swapcase(), draw(st.sampled_from(["string", "int"]))
        )
    order = draw(st.permutations(list(types)))
    fields = [{"name": name, "type": types[name], "nullable": draw(st.integers(0, 3)) > 0} for name in order]
    return draw(_streams(fields, naming))


@st.composite
def like(draw: st.DrawFn, contract: Contract, *, strict: bool) -> Contract:
    """A schema that a union accepts together with the others: equal, or with fewer, other or wider fields.

    Its event time may be another field's, or Kafka's.
    """
    fields = [{**field, "nullable": draw(st.booleans())} for field in contract["fields"]]
    if not strict:
        fields = [
            field for field in fields if field["name"] == key_of(contract)["name"] or draw(st.integers(0, 3))
        ]
        fields = [
            {**field, "type": draw(st.sampled_from(WIDER.get(field["type"], (field["type"],))))}
            for field in fields
        ]
    found = {field["name"]: field["type"] for field in fields}
    read = {part["field"]: type_ for part, type_ in clocks_of(contract).values()}
    is_there = read and read.items() <= found.items()
    rule = {"event_time": contract["event_time"]} if is_there and draw(st.integers(0, 3)) else {}
    return {"fields": draw(st.permutations(fields)), "delay": draw(st.sampled_from(DELAYS)), **rule}


@st.composite
def joinable(draw: st.DrawFn, naming: Naming, key: str) -> Contract:
    """Another schema whose key has a type that may meet that of the other's."""
    return draw(schemas(naming, draw(st.sampled_from(["int", "long"])) if key in ("int", "long") else key))


@st.composite
def tables(draw: st.DrawFn, naming: Naming, key: str) -> Contract:
    """A table one of whose key fields has this type; sometimes there are up to four."""
    types = {
        "v": "int",
        "name": "string",
        "rate": "decimal(10,2)",
        "y": "double",
        "at": "timestamp",
        "part": "struct<a:int,b:string>",
    }
    types |= {"x": "int", "tags": "array<string>", "more": "map<string,int>"}
    names = draw(st.lists(st.sampled_from(sorted(types)), min_size=1, max_size=4, unique=True))
    more = [name for name in ("x", "name", "at") if name in names and draw(st.integers(0, 2))]
    keys = [naming.field(name) for name in ("k", *more)]
    made = {naming.field("k"): key} | {naming.field(name): types[name] for name in names}
    fields = [{"name": name, "type": type_, "nullable": name not in keys} for name, type_ in made.items()]
    made = draw(_timed(draw(st.permutations(fields)), naming))
    return {"kind": "table", "key": draw(st.permutations(keys)), **made}


def _values(fields: list[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """What a record may hold; rarely null where it may not, which makes it malformed."""

    def of(field: dict[str, Any]) -> st.SearchStrategy[Any]:
        few = field["name"] in random_names.KEYS and field["type"] in KEYS
        samples = KEYS[field["type"]] if few else VALUES[field["type"]]
        return st.sampled_from(
            [*samples, None] if field["nullable"] else [*samples * 4, None] if few else samples
        )

    return st.fixed_dictionaries({field["name"]: of(field) for field in fields})


@st.composite
def records(draw: st.DrawFn, contract: Contract, start: int, spread_ms: int) -> Records:
    """Rows of one batch: times in ms, unordered, some of them equal."""
    found = draw(
        st.lists(
            st.tuples(_times(draw, start, spread_ms), _values(contract["fields"])),
            max_size=draw(st.sampled_from([5, 5, 5, 5, 12])),
        )
    )
    found = [draw(timed(contract, at, values)) for at, values in found]
    return draw(with_heartbeats(contract, found + found[: draw(st.integers(0, 1))], start, spread_ms))


@st.composite
def table_records(draw: st.DrawFn, contract: Contract, start: int, spread_ms: int) -> Records:
    """Entries of a table in one batch; a third of them are tombstones."""
    rows = _values(contract["fields"])
    gone = rows.map(lambda values: {TOMBSTONE: {name: values[name] for name in contract["key"]}})
    found = draw(st.lists(st.tuples(_times(draw, start, spread_ms), st.one_of(rows, rows, gone)), max_size=4))
    sent = [
        (at, values) if TOMBSTONE in values else draw(timed(contract, at, values)) for at, values in found
    ]
    return draw(with_heartbeats(contract, sent, start, spread_ms))


@st.composite
def with_heartbeats(
    draw: st.DrawFn, contract: Contract, sent: Records, start: int, spread_ms: int
) -> Records:
    """The records of a batch, in one of five with heartbeats between them: alone, or beside what would be a
    record; of a time like that of the rows, or of none.
    """
    if draw(st.integers(0, 4)):
        return sent
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        at = draw(_times(draw, start, spread_ms))
        said = draw(st.sampled_from([*[iso(at)] * 10, *NO_TIMES]))
        beside = draw(st.sampled_from([{}, *(values for _, values in sent[:1])]))
        place = draw(st.integers(0, len(sent)))
        sent = [*sent[:place], (at, {**beside, HEARTBEAT: said}), *sent[place:]]
    return sent


@st.composite
def last_record(draw: st.DrawFn, contract: Contract, start: int) -> Records:
    """One row so late that what is open before it closes."""
    values = draw(_values(contract["fields"]))
    last_values = {
        field["name"]: KEYS.get(field["type"], VALUES[field["type"]])[0]
        for field in contract["fields"]
        if not field["nullable"]
    }
    clocks = [part["field"] for part, _ in clocks_of(contract).values()]
    is_there = dict.fromkeys(clocks, "")  # something, in whose place the time is written
    return [draw(timed(contract, start + LONG_AFTER, values | last_values | is_there))]


def _times(draw: st.DrawFn, start: int, spread_ms: int) -> st.SearchStrategy[int]:
    step_ms = draw(st.sampled_from([1, 500, 1_000]))
    return st.integers(0, spread_ms // step_ms).map(lambda steps: start + steps * step_ms * 1_000)
