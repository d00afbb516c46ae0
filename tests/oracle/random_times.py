"""Event times of random records: a contract's rule, and records whose field says when they were."""

from datetime import UTC
from typing import Any, Final
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from tests.oracle.event_times import KAFKA, PER_SECOND, parts_of
from tests.oracle.random_names import Naming
from tests.oracle.values import moment

Contract = dict[str, Any]

CLOCKS: Final = {"field": "clock", "device": "clock", "sent": "sent", "received": "received"}
"""The plain names of the fields that an event time is read from, by what each is for it."""
RULES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("long", {"unit": "ms"}),
    ("long", {"unit": "us"}),
    ("long", {"unit": "s"}),
    ("long", {"unit": "ns"}),
    ("double", {"unit": "s"}),
    ("decimal(16,6)", {"unit": "s"}),
    ("timestamp", {}),
    ("string", {"format": "iso"}),
    ("date", {}),
)
OF_PARTS: Final = tuple(rule for rule in RULES if rule[0] != "date")
"""What the parts of a corrected time may be: with a day for one, its errors would be as long."""
ZONED: Final = ("string", "date")
ZONES: Final = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia")
DELAYS: Final = ("0s", "1s", "2s500ms", "10s")
WRONG_US: Final = (0, -60_000_000, 7_201_500_000)
"""By how much the clock of a device is fast."""
DELAYED_US: Final = (0, 250_000, 3_000_000)
"""How much later than it was made a record is received."""
APART_US: Final = (0, 0, 0, 90_000_000, -5_400_000_000)
"""How much later than its event time, or earlier, a record's Kafka timestamp is."""


@st.composite
def clocks(draw: st.DrawFn, naming: Naming) -> tuple[list[dict[str, Any]], Contract]:
    """Fields that hold event times, and what a contract says of them."""
    if draw(st.integers(0, 3)):
        field, part = draw(_clock(naming, "field", RULES))
        fields, rule = [field], {"kind": "field", **part}
    else:
        names = ["device", "sent", *draw(st.sampled_from([[], ["received"]]))]
        found = [draw(_clock(naming, name, OF_PARTS)) for name in names]
        fields = [field for field, _ in found]
        rule = {"kind": "corrected"} | {name: part for name, (_, part) in zip(names, found, strict=True)}
    rule |= draw(st.sampled_from([{}, {"on_missing": "kafka_timestamp"}]))
    more = draw(st.sampled_from([{}, {}, {"max_ahead": "1h"}]))
    return fields, {"event_time": rule, **more}


@st.composite
def _clock(
    draw: st.DrawFn, naming: Naming, part: str, rules: tuple[tuple[str, dict[str, str]], ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    type_, read = draw(st.sampled_from(rules))
    name = naming.field(CLOCKS[part])
    zone = {"zone": draw(st.sampled_from(ZONES))} if type_ in ZONED else {}
    return (
        {"name": name, "type": type_, "nullable": draw(st.booleans())},
        {"field": name, **read, **zone},
    )


def clocks_of(contract: Contract) -> dict[str, tuple[dict[str, Any], str]]:
    """The parts of the event time, and the types of their fields; none where it is Kafka's timestamp."""
    types = {field["name"]: field["type"] for field in contract["fields"]}
    parts = parts_of(contract.get("event_time", KAFKA))
    return {name: (part, types[part["field"]]) for name, part in parts.items()}


@st.composite
def timed(draw: st.DrawFn, contract: Contract, at: int, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Kafka's timestamp and the values of a record that was at this time, in whole ms, or some µs later.

    A record without a time keeps to have none.
    """
    clocks = clocks_of(contract)
    if not clocks or any(values[part["field"]] is None for part, _ in clocks.values()):
        return at, values
    exact = at + draw(st.sampled_from([0, 0, 1, 999]))
    timestamp = at + draw(st.sampled_from(APART_US))
    times = {"field": exact}
    if "device" in clocks:
        times["device"] = exact + draw(st.sampled_from(WRONG_US))
        times["received"] = exact + draw(st.sampled_from(DELAYED_US)) if "received" in clocks else timestamp
        times["sent"] = times["device"] + times["received"] - exact
    written = {part["field"]: _written(type_, part, times[name]) for name, (part, type_) in clocks.items()}
    return timestamp, {**values, **written}


def _written(type_: str, rule: dict[str, Any], at: int) -> Any:
    local = moment(at).astimezone(ZoneInfo(rule.get("zone", "UTC")))
    match type_:
        case "long":
            return at * PER_SECOND[rule["unit"]] // 1_000_000
        case "double":
            return at / 1_000_000
        case "timestamp":
            return moment(at).isoformat().replace("+00:00", "Z")
        case "date":
            return local.date().isoformat()
        case "string":
            written = local.replace(tzinfo=None) if at % 2 == 0 else local.astimezone(UTC)
            return written.isoformat(sep=" " if at % 5 == 0 else "T")
        case _:
            return f"{at // 1_000_000}.{at % 1_000_000:06}"
