"""Records at random, near to what contracts ask for: JSON whose values are edges of types, with members
twice, escapes, blanks and broken bytes; the same inside change events; lines of separated values.
"""

import json
from random import Random
from typing import Final

from jobs.base.types import (
    BOOLEAN,
    BYTES,
    DATE,
    STRING,
    TIMESTAMP,
    Array,
    Atomic,
    DataType,
    Decimal,
    Map,
    Struct,
    parse_type,
)
from jobs.formats.source_paths import ReadField, SourcePath, read_field

PLACES: Final = ("a", "b", "é", "n", "s", "m", "l")
"""Names of members that fields are read from."""

_AT_ONE_PLACE: Final = (
    "boolean", "int", "long", "double", "string", "bytes", "timestamp", "date", "decimal(5,2)",
    "decimal(18,0)", "decimal(38,10)", "decimal(3,3)", "array<int>", "array<array<string>>",
    "map<string,double>", "map<string,timestamp>", "struct<a:int,b:string>",
    "struct<a:array<decimal(20,3)>,n:struct<a:date>>",
)  # fmt: skip
_ELSEWHERE: Final[tuple[tuple[str, SourcePath], ...]] = (
    ("string", ("é",)),
    ("long", ("n", "a")),
    ("struct<a:int>", ("n",)),
    ("string", ("n", "s", "a")),
    ("double", ("l", 0)),
    ("string", ("l", 1, "a")),
    ("array<double>", ("l",)),
    ("int", ("l", 0, 2)),
)
FIELDS: Final = tuple(
    read_field(f"f{number}", parse_type(kind), path)
    for number, (kind, path) in enumerate([*((kind, ("a",)) for kind in _AT_ONE_PLACE), *_ELSEWHERE])
)
"""One of each type, and of each kind of path."""

_NUMBERS: Final = (
    "0", "-0", "1", "7", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "99999999999999999999", "1.5", "-0.0", "1e3", "1E-3", "1e400", "-1e400", "1e-400", "0.1", "2.5e-7",
    "123456789012345678901234567890.123456789", "0.1000000000000000055511151231257827", "1e22", "1e23",
    "9007199254740993", "9007199254740993.5", "4.9e-324", "1.7976931348623159e308", "999.99", "999.995",
    "999.994999", "0.005", "0.0049", "-0.005", "1e999999999", "1e9999999999", "1e-999999999", "0e999999999",
    "0.9995", "0.9994", "NaN", "Infinity", "-Infinity", "0.000000000000000000000000000000000001",
    "1767261600000", "1767261600000000", "20454", "253402300799999999", "253402300800000000",
    "-62135596800000001", "9999999999999999999", "2932896", "2932897",
)  # fmt: skip
_NO_JSON: Final = ("-NaN", "+1", "01", "1.", ".5", "1e", "- 1", "nul", "True", "'a'", "", "1 1", "/**/1")
_TEXTS: Final = (
    "", "a", "é", "\U0001f600", "NaN", "Infinity", "-Infinity", "true", "1", "1.5", "+5", ".5", "5.", "1e2",
    "1e", " 5", "1e500", "1e-500", "1e1000000000", "-1.005", "AP8=", "AP8", "AA==", "AB==", "A===", "AAAA=",
    "AAAA====", "====", "A A=", "*", "2026-01-01", "2026-01-01T10:00:00Z", "2026-02-29", "2024-02-29",
    "1900-02-29", "2000-02-29T00:00", "0000-01-01", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.999999", "9999-12-31T23:59:59-00:01", "2026-01-01 10:00",
    " 2026-01-01T10:00:00.123456789Z\t", "2026-01-01T10:00:00.1Z", "2026-01-01T10:00:00.Z",
    "2026-01-01T10:00:00.1234567890Z", "2026-01-01T24:00:00Z", "2026-01-01T23:59:60Z",
    "2026-01-01T10:00:00+18:00", "2026-01-01T10:00:00+18:01", "2026-01-01T10:00:00-17:59",
    "2026-01-01t10:00:00Z", "2026-01-01T10:00:00z", "2026-1-01", "2026-13-01", "2026-04-31",
    "2026-01-01T10", "2026-01-01T10:00:0", "2026-01-01\u00a0", "\uff12026-01-01",
)  # fmt: skip
_TIMES: Final = tuple(text for text in _TEXTS if len(text) > 7 and "-" in text)
_WRITTEN: Final = (
    '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"\\ud83d\\u0041"', '"\\u00e9\\/\\b\\f\\n\\r\\t"',
    '"\\x"', '"\\u12g4"', '"\t"', '"',
)  # fmt: skip
_BLANKS: Final = ("", "", "", " ", "\n", "\t \r", "\f")


def json_value(random: Random, depth: int = 0) -> str:
    """A value as text, mostly well-formed."""
    kind = random.random()
    if depth < 4 and kind < 0.35:
        return json_object(random, depth + 1) if random.random() < 0.5 else _array(random, depth + 1)
    if kind < 0.6:
        return random.choice(_NUMBERS)
    if kind < 0.7:
        return random.choice(("null", "true", "false"))
    if kind < 0.72:
        return random.choice(_NO_JSON)
    return random.choice(_WRITTEN) if kind < 0.74 else _text(random, random.choice(_TEXTS))


def near(random: Random, wanted: DataType) -> str:
    """A value that is often of a type."""
    if random.random() < 0.1:
        return random.choice((json_value(random, 2), "null"))
    match wanted:
        case Array(element):
            return "[" + ",".join(near(random, element) for _ in range(random.choice((0, 1, 2, 3)))) + "]"
        case Map(value):
            return object_of(random, [(random.choice(PLACES), near(random, value)) for _ in range(3)])
        case Struct(members):
            return object_of(random, [(m.name, near(random, m.type)) for m in members])
        case Decimal():
            text = random.choice(_TEXTS[:20])
            return random.choice(_NUMBERS) if random.random() < 0.7 else _text(random, text)
        case Atomic("boolean"):
            return random.choice(("true", "false"))
        case Atomic("int" | "long" | "double"):
            return random.choice(_NUMBERS)
    if wanted == DATE and random.random() < 0.5:
        return _text(random, random.choice(("2026-01-01", "2024-02-29", "0001-01-01", "9999-12-31")))
    is_time = wanted in (TIMESTAMP, DATE)
    if is_time and random.random() < 0.3:
        return random.choice(_NUMBERS)
    return _text(random, random.choice(_TIMES if is_time else _TEXTS))


def _placed(random: Random, field: ReadField) -> str:
    """An object in which a field is where it is read from."""
    value = near(random, field.type)
    for segment in reversed(field.path):
        if isinstance(segment, int):
            value = "[" + ",".join([json_value(random, 3) for _ in range(segment)] + [value]) + "]"
        else:
            value = object_of(random, [(segment, value)])
    return value


def object_of(random: Random, members: list[tuple[str, str]]) -> str:
    """An object of these members, and at times of others; a name may be there twice."""
    shown = list(members)
    if random.random() < 0.2:
        shown.insert(random.randrange(len(shown) + 1), (random.choice(PLACES), json_value(random, 3)))
    if random.random() < 0.1:
        random.shuffle(shown)
    written = [
        f"{_blank(random)}{_text(random, name)}{_blank(random)}:{_blank(random)}{value}"
        for name, value in shown
    ]
    return "{" + ",".join(written) + _blank(random) + "}"


def json_object(random: Random, depth: int = 0) -> str:
    """An object as text: one with a field in its place, or any."""
    if depth == 0 and random.random() < 0.8:
        # Fields deeper inside are alone at their place, and would be met too seldom.
        return _placed(random, random.choice(FIELDS + 2 * FIELDS[len(_AT_ONE_PLACE) :]))
    members = [
        (random.choice(PLACES), json_value(random, depth)) for _ in range(random.choice((0, 1, 1, 2, 3)))
    ]
    return object_of(random, members)


def json_record(random: Random) -> bytes:
    """A record: mostly an object; sometimes cut, with a byte changed, framed, or deep."""
    text = json_object(random) if random.random() < 0.95 else json_value(random)
    if random.random() < 0.03:
        deep = random.choice((63, 64, 65, 70))
        text = '{"a":' * (deep - 1) + text + "}" * (deep - 1 if random.random() < 0.7 else 3)
    return damaged(random, text.encode("utf-8", "surrogatepass"))


def change_record(random: Random) -> bytes:
    """A change event, or what is nearly one."""
    event = _event(random)
    if random.random() < 0.3:
        event = _members(
            random, [("schema", "{}"), ("payload", event), ("op", random.choice(("null", '"q"', '"u"')))]
        )
    return damaged(random, event.encode("utf-8", "surrogatepass"))


def _event(random: Random) -> str:
    others = ('"d"', '"t"', '"m"', '"x"', "null", "1", '"cc"', '""')
    op = random.choice(('"c"', '"u"', '"r"')) if random.random() < 0.8 else random.choice(others)
    millis = random.choice(("1", "null", "1.5", '"1"', "9223372036854775807", "9223372036854775808", "-5"))
    source = random.choice(("null", "{}", f'{{"ts_ms":{millis}}}', "[1]", '{"ts_ms":1,"ts_ms":2}', "5"))
    after = json_object(random) if random.random() < 0.9 else random.choice(("null", "[]", "1", '"x"'))
    return _members(
        random,
        [
            ("before", "null"),
            ("after", after),
            ("op", op),
            ("source", source),
            ("ts_ms", millis),
            ("op", op),
            ("after", after),
        ],
    )


def _members(random: Random, members: list[tuple[str, str]]) -> str:
    """Some of these, in any order."""
    least = len(members) if random.random() < 0.7 else len(members) - 3
    shown = random.sample(members, random.randint(max(least, 1), len(members)))
    return "{" + ",".join(f'"{name}":{_blank(random)}{value}' for name, value in shown) + "}"


def _array(random: Random, depth: int) -> str:
    return "[" + ",".join(json_value(random, depth) for _ in range(random.choice((0, 1, 2, 3)))) + "]"


def _text(random: Random, text: str) -> str:
    if text and random.random() < 0.1:
        return '"' + "".join(f"\\u{unit:04x}" for unit in _units(text)) + '"'
    return json.dumps(text, ensure_ascii=random.random() < 0.3)


def _units(text: str) -> list[int]:
    raw = text.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


def _blank(random: Random) -> str:
    return random.choice(_BLANKS) if random.random() < 0.1 else ""


def damaged(random: Random, record: bytes) -> bytes:
    kind = random.random()
    at = random.randrange(len(record) + 1)
    if kind < 0.03:
        return record[:at]
    if kind < 0.06:
        return record[:at] + bytes([random.choice((0, 9, 34, 44, 92, 125, 128, 192, 237, 255))]) + record[at:]
    if kind < 0.08:
        return record + random.choice((b" ", b"\n", b"x", b"{}", b"\x00"))
    return record


COLUMNS: Final = tuple(
    read_field(f"c{number}", parse_type(kind))
    for number, kind in enumerate(
        (
            "boolean", "int", "long", "double", "string", "bytes", "timestamp", "date", "decimal(5,2)",
            "decimal(38,10)",
        )
    )
)  # fmt: skip
"""One column of each type that a line may hold."""


def csv_record(random: Random, delimiter: str, quote: str) -> bytes:
    """A line, mostly of all `COLUMNS`; sometimes of others, with quotes and breaks in the wrong place."""
    cells = [_cell(random, column.type, quote) for column in COLUMNS]
    if random.random() < 0.03:
        cells = cells[: random.randrange(len(cells))] + random.choice(([], ["x"] * 5))
    line = delimiter.join(cells) + random.choice(("", "", "", "\n", "\r\n", "\r", "\n\r", "\n\n"))
    return damaged(random, line.encode("utf-8"))


def _cell(random: Random, wanted: DataType, quote: str) -> str:
    numbers, booleans = wanted not in (STRING, BYTES), ("true", "FALSE", "True", "tru", "ﬀalse")
    texts = _TIMES if wanted in (TIMESTAMP, DATE) else _NUMBERS if numbers else _TEXTS
    text = random.choice(booleans if wanted == BOOLEAN else texts)
    if random.random() < 0.1:
        text = random.choice(
            (*_TEXTS, *_NUMBERS, "", "NA", "+007", "00000000000000000001", "a\nb", f"x{quote}y")
        )
    if random.random() < 0.1:
        return random.choice(("", "NA"))
    if random.random() < 0.01:
        return random.choice(
            (f"{quote}", f"a{quote}b{quote}", f"{quote}a{quote}b", f"{quote}a", f"{quote} x")
        )
    if random.random() < 0.3 or quote in text or "\n" in text:
        text = quote + text.replace(quote, quote * 2) + quote
    return random.choice(("", " ", "\t ")) + text + " " if random.random() < 0.1 else text


def text_record(random: Random) -> bytes:
    """Any text, with damage."""
    return damaged(random, random.choice(_TEXTS).encode())
