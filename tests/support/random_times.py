"""Rules of event times, and values at random near to what each takes: numbers of every unit, ISO texts and
patterns, in zones with skipped and doubled hours, at both ends of time.
"""

# ruff: noqa: DTZ001 - texts of local times are written from them

import json
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from jobs.base.time_patterns import pieces_of, quoted_text
from jobs.base.types import Atomic, DataType, parse_type
from jobs.formats.contract import StreamContract
from jobs.formats.json_text import NumberText
from jobs.formats.json_values import WrongType, typed

TYPES: Final = (
    "int", "long", "double", "decimal(20,9)", "decimal(38,20)", "decimal(38,0)", "decimal(38,38)",
    "timestamp", "date", "string",
)  # fmt: skip
UNITS: Final = ("s", "ms", "us", "ns")
ZONES: Final = (
    "UTC",
    "America/New_York",
    "Europe/Berlin",
    "Asia/Tokyo",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
)
PATTERNS: Final = (
    "yyyy-MM-dd'T'HH:mm:ss.SSS", "dd.MM.yyyy HH:mm", "yyyyMMddHHmmssSSSSSSSSS", "MM/dd/yyyy", "HH:mm:ss",
    "yyyy-MM-dd HH:mm:ssXXX", "'at 'yyyy MM dd'?P<'(HH)",
)  # fmt: skip
_NUMBERS: Final = (
    "0", "1", "-1", "0.5", "-0.5", "999", "1000", "1999.9999999999", "1767261600", "1767261600.1234567",
    "1767261600123", "1767261600123456", "1767261600123456789", "0.00000199999999999999", "253402300799",
    "253402300800", "253402300799.9999999", "253402300799999", "253402300800000", "253402300800000000",
    "253402300799999999.5", "9223372036854775807", "-9223372036854775808", "2147483647", "-2147483648",
    "1e300", "0.99999999999999999999999999999999999999", "0.00000099999999999999999999999999999999",
    "99999999999999999999999999999999999999",
)  # fmt: skip
_EDGES: Final = (
    datetime(1, 1, 1, 3), datetime(1, 1, 2), datetime(1969, 12, 31, 23, 59, 59), datetime(1970, 1, 1, 2),
    datetime(2026, 3, 8, 2, 30), datetime(2026, 11, 1, 1, 30), datetime(2026, 3, 29, 2, 30),
    datetime(2026, 10, 25, 2, 30), datetime(2026, 4, 5, 1, 45), datetime(2026, 10, 4, 2, 15),
    datetime(9999, 12, 31, 20), datetime(9999, 12, 31, 23, 59, 59, 999_999), datetime(2024, 2, 29),
)  # fmt: skip
_SPOILING: Final = ("+", "-", "0", " ", "\x01", "\n", "Z", "+01:00", "-18:00", "+18:01", "t", "٣", "")


def field_name(number: int) -> str:
    """The field of a type, by its index in `TYPES`."""
    return f"f{number}"


def rules() -> list[dict[str, Any]]:
    """Each way to read an event time, as a contract says it."""
    found: list[dict[str, Any]] = []
    for number, kind in enumerate(TYPES):
        at = field_name(number)
        if kind == "string":
            found += [{"field": at, "format": "iso", "zone": zone} for zone in ZONES]
            found += [
                {"field": at, "format": pattern, "zone": ZONES[index % len(ZONES)]}
                for index, pattern in enumerate((*PATTERNS, *PATTERNS[:4]))
            ]
        elif kind == "date":
            found += [{"field": at, "zone": zone} for zone in ZONES]
        else:
            found += (
                [{"field": at}] if kind == "timestamp" else [{"field": at, "unit": unit} for unit in UNITS]
            )
    return found


def contract_of(rule: dict[str, Any]) -> StreamContract:
    """A stream of a field of each type, with this event time."""
    fields = [{"name": field_name(number), "type": kind} for number, kind in enumerate(TYPES)]
    return StreamContract.model_validate(
        {"fields": fields, "event_time": rule["event_time"], "max_ahead": rule.get("max_ahead")}
    )


def random_rules(random: Random) -> list[dict[str, Any]]:
    """Every rule, and devices' clocks; at times with Kafka's time for a missing one, or a bound."""
    plain = rules()
    found = [{"event_time": {"kind": "field", **rule}} for rule in plain]
    for _ in range(12):
        parts = [random.choice(plain) for _ in range(3)]
        corrected = {"kind": "corrected", "device": parts[0], "sent": parts[1]}
        found.append({"event_time": corrected | ({"received": parts[2]} if random.random() < 0.5 else {})})
    for rule in found:
        if random.random() < 0.3:
            rule["event_time"]["on_missing"] = "kafka_timestamp"
        if random.random() < 0.3:
            rule["max_ahead"] = random.choice(("0s", "1h", "366d"))
    return found


def random_record(random: Random) -> bytes:
    """A record with a value for each type, or null: of its type, so that it is a row."""
    values = {field_name(number): _value(random, parse_type(kind)) for number, kind in enumerate(TYPES)}
    written = (
        f'"{name}":{value.text if isinstance(value, NumberText) else json.dumps(value)}'
        for name, value in values.items()
    )
    return ("{" + ",".join(written) + "}").encode()


def _value(random: Random, wanted: DataType) -> Any:
    if random.random() < 0.05:
        return None
    match wanted:
        case Atomic("string"):
            return _text(random)
        case Atomic("timestamp"):
            return random.choice(_EDGES).isoformat()
        case Atomic("date"):
            return random.choice(_EDGES).date().isoformat()
    while True:
        text = random.choice(_NUMBERS)
        number = NumberText(text, whole=text.lstrip("-").isdigit())
        try:
            typed(number, wanted)
        except WrongType:
            continue
        return number


def _text(random: Random) -> str:
    moment = random.choice(_EDGES)
    if random.random() < 0.5:
        moment = datetime(1970, 1, 1) + timedelta(microseconds=random.randrange(4_000_000_000_000_000))
    if random.random() < 0.4:
        text = moment.isoformat(random.choice(("T", " "))) + random.choice(("", "", "Z", "+01:00", "-17:30"))
    else:
        text = _written(moment, random.choice(PATTERNS), random)
    if random.random() < 0.2:
        at = random.choice((0, len(text), random.randrange(len(text) + 1)))
        text = text[:at] + random.choice(_SPOILING) + text[at + random.choice((0, 0, 1)) :]
    return text


def _written(moment: datetime, pattern: str, random: Random) -> str:
    parts = {
        "yyyy": f"{moment.year:04d}", "MM": f"{moment.month:02d}", "dd": f"{moment.day:02d}",
        "HH": f"{moment.hour:02d}", "mm": f"{moment.minute:02d}", "ss": f"{moment.second:02d}",
        "XXX": random.choice(("Z", "+01:00", "-18:00", "+05:45")),
    }  # fmt: skip
    text = ""
    for piece in pieces_of(pattern) or ():
        if piece[0] == "S":
            digits = f"{moment.microsecond:06d}000"[: len(piece)]
            text += digits[: random.choice((len(digits), len(digits), 1))]
        else:
            text += parts.get(piece) or (quoted_text(piece) if piece[0] == "'" else piece)
    return text
