"""P4: events per CPU-second of a backlog."""

from typing import Final

from bench.aims import Numbers, Report, at_least, ratio

_TEXT: Final = """
{events:,} JSON events of six fields, {keys:,} keys, in two partitions, lie in a topic and are drained through
a count per key in windows of 10 s of event time, after {warm:,} that warm up: from records in Kafka to
results in Kafka, on the same broker and cores, the sides in turn, {turn_s:g} s each. Events per CPU-second of
everything but the broker; the counts of one key are compared with its events. The tutorial's job trusts its
input; Kafka Streams reads of each record what the count needs. Strangers took {strangers} cores.

| | events/CPU-s | events/s | ours / this |
|---|--:|--:|--:|
"""
_SIDES: Final = {"ours": "Weir", "streams": "Kafka Streams", "tutorial": "the tutorial's PySpark"}


def _text(numbers: Numbers) -> str:
    sides = numbers["sides"]
    rows = settings = ""
    for name, title in _SIDES.items():
        if name in sides:
            beside = _ratio(numbers, name)
            rows += f"| {title} | {sides[name]['per_cpu_s']:,} | {sides[name]['per_s']:,} "
            rows += f"| {'–' if beside is None else f'{beside:.2f}'} |\n"
            settings += f"- {title}: {', '.join(sides[name]['settings'])}\n"
    return _TEXT.format(**numbers) + rows + "\nSettings\n\n" + settings


def _ratio(numbers: Numbers, side: str) -> float | None:
    sides = numbers["sides"]
    ours, other = (sides[name]["per_cpu_s"] if name in sides else None for name in ("ours", side))
    return ratio(ours, other)


P4: Final = Report(
    "P4: draining a backlog",
    _text,
    (
        at_least("events per CPU-second / Kafka Streams'", 1.5, "", lambda at: _ratio(at, "streams")),
        at_least("the same, at the least", 1.0, "", lambda at: _ratio(at, "streams")),
        at_least("events per CPU-second / the tutorial's", 1.0, "", lambda at: _ratio(at, "tutorial")),
    ),
)
