"""Event times of random records: a contract's rule, and records whose field says when they were."""

from datetime import UTC
from typing import Any, Final
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from tests.oracle.event_times import PER_SECOND
from tests.oracle.random_names import Naming
from tests.oracle.values import moment

Contract = dict[str, Any]

CLOCK: Final = "clock"
"""The plain name of the field that an event time is read from."""
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
ZONED: Final = ("string", "date")
ZONES: Final = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia")
WHOLE: Final = ("s", "ms")
"""Units in which no whole number is finer than a millisecond."""
DELAYS: Final = ("0s", "1s", "2s500ms", "10s")
APART_US: Final = (0, 0, 0, 90_000_000, -5_400_000_000)
"""How much later than its event time, or earlier, a record's Kafka timestamp is."""


@st.composite
def clocks(draw: st.DrawFn, naming: Naming) -> tuple[dict[str, Any], Contract]:
    """A field that holds event times, and what a contract says of it."""
    type_, read = draw(st.sampled_from(RULES))
    name = naming.field(CLOCK)
    rule = {"kind": "field", "field": name, **read}
    if type_ in ZONED:
        rule["zone"] = draw(st.sampled_from(ZONES))
    rule |= draw(st.sampled_from([{}, {"on_missing": "kafka_timestamp"}]))
    more = draw(st.sampled_from([{}, {}, {"max_ahead": "1h"}]))
    field = {"name": name, "type": type_, "nullable": draw(st.booleans())}
    return field, {"event_time": rule, **more}


def is_finer(contract: Contract) -> bool:
    """Its event times may be finer than a millisecond."""
    rule = contract.get("event_time", {})
    if "field" not in rule:
        return False
    return type_of(contract) not in ("long", "date") or rule.get("unit", "s") not in WHOLE


def type_of(contract: Contract) -> str:
    """The type of the field that the event time is read from."""
    name = contract["event_time"]["field"]
    return next(field["type"] for field in contract["fields"] if field["name"] == name)


@st.composite
def timed(draw: st.DrawFn, contract: Contract, at: int, values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Kafka's timestamp and the values of a record that was at this time, in whole ms, or some µs later.

    A record without a time keeps to have none.
    """
    if "event_time" not in contract:
        return at, values
    rule = contract["event_time"]
    if values[rule["field"]] is None:
        return at, values
    exact = at + draw(st.sampled_from([0, 0, 1, 999]))
    timestamp = at + draw(st.sampled_from(APART_US))
    return timestamp, {**values, rule["field"]: _written(contract, rule, exact)}


def _written(contract: Contract, rule: dict[str, Any], at: int) -> Any:
    local = moment(at).astimezone(ZoneInfo(rule.get("zone", "UTC")))
    match type_of(contract):
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
