"""Where a job's processor time goes, now and before."""

from typing import Final

from bench.aims import Numbers, Report

_TEXT: Final = """
Samples of the engine's threads by Java Flight Recorder ({samples:,} in {seconds} s) while a job without state
(a filter, two derived fields) reads JSON events of six fields from Kafka at {rate:,} rows/s ({asked:,} were
asked for), in micro-batches of a second, and writes its results to Kafka: decoding, identities, counters and
sink. It took {cores} cores, Python included. A sample counts for the class nearest to the top of its stack
that is not the runtime's own (`java`, `scala`, Spark's memory access); compiler and garbage collector are not
sampled, and their time is spread over all. Strangers took {strangers} cores. {before_text}

| the ten largest | share of samples | CPU, ns per row | before, ns |
|---|--:|--:|--:|
"""


def _text(numbers: Numbers) -> str:
    before = numbers["before"]
    earlier = {} if before is None else {each["class"]: each["ns"] for each in before["costs"]}
    told = "Nothing was measured before."
    if before is not None:
        told = f"Before: {before['at']}, commit {before['commit']}; a dash: not among its ten largest."
    rows = "".join(
        f"| `{each['class']}` | {each['share']:.1%} | {_ns(each['ns'])} "
        f"| {_ns(earlier.get(each['class']))} |\n"
        for each in numbers["costs"]
    )
    gone = [name for name in earlier if name not in {each["class"] for each in numbers["costs"]}]
    rest = "".join(f"| `{name}` | no longer among them | – | {_ns(earlier[name])} |\n" for name in gone)
    return _TEXT.format(**numbers, before_text=told) + rows + rest


def _ns(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


COSTS: Final = Report("The ten largest costs at 100,000 rows/s", _text)
