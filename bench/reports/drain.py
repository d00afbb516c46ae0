"""P4: events per CPU-second of a backlog."""

from typing import Final

from bench.aims import Numbers, Report, at_least

_TEXT: Final = """
{events:,} JSON events of six fields, {keys:,} keys, in two partitions, lie in a topic and are drained through
a count per key in windows of 10 s of event time, after {warm:,} that warm up: from records in Kafka to
results in Kafka, one side after the other on the same broker and cores. Events per CPU-second of everything
but the broker. The tutorial's job trusts its input; Kafka Streams reads of each record what the count needs.
Strangers took {strangers} cores.

| | events/CPU-s | events/s | ours / this |
|---|--:|--:|--:|
"""
_SIDES: Final = {"ours": "Weir", "streams": "Kafka Streams", "tutorial": "the tutorial's PySpark"}


def _text(numbers: Numbers) -> str:
    sides = numbers["sides"]
    rows = "".join(
        f"| {title} | {sides[name]['per_cpu_s']:,} | {sides[name]['per_s']:,} "
        f"| {_ratio(numbers, name):.2f} |\n"
        for name, title in _SIDES.items()
    )
    settings = "".join(f"- {title}: {', '.join(sides[name]['settings'])}\n" for name, title in _SIDES.items())
    return _TEXT.format(**numbers) + rows + "\nSettings\n\n" + settings


def _ratio(numbers: Numbers, side: str) -> float:
    return float(numbers["sides"]["ours"]["per_cpu_s"] / numbers["sides"][side]["per_cpu_s"])


P4: Final = Report(
    "P4: draining a backlog",
    _text,
    (
        at_least("events per CPU-second / Kafka Streams'", 1.5, "", lambda at: _ratio(at, "streams")),
        at_least("the same, at the least", 1.0, "", lambda at: _ratio(at, "streams")),
        at_least("events per CPU-second / the tutorial's", 1.0, "", lambda at: _ratio(at, "tutorial")),
    ),
)
