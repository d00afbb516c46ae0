"""A spark-submit for each job, beside P5."""

from typing import Final

from bench.aims import Numbers, Report, at_least, ratio
from bench.reports.scale import jobs_carried

_TEXT: Final = """
The tutorial's windowed count, each under its own `spark-submit`, all over one topic of {rate} events/s,
until less than 95 % of them have a freshness, or its p95 is above {fresh_ms:,} ms. Freshness is the age of
the newest event in a job's results, at a plain consumer, sampled over {seconds} s once the last first
result is 45 s ago. Strangers took {strangers} cores.

| jobs | have a freshness | p50 ms | p95 | cores | PSS MiB | first results after s |
|---|--:|--:|--:|--:|--:|--:|
"""


def _text(numbers: Numbers) -> str:
    rows = ""
    for step in numbers["steps"]:
        fresh = " | ".join(
            "not known" if step[name] is None else f"{step[name]:,}"
            for name in ("fresh_p50_ms", "fresh_p95_ms")
        )
        rows += f"| {step['jobs']} | {step['known']:.0%} | {fresh} | {step['cores']} | {step['pss_mb']:,} "
        rows += f"| {step['start_s']} |\n"
    p5 = _of_p5(numbers)
    beside = "P5 was not measured yet." if p5 is None else f"P5's last run carried {p5}."
    carried = jobs_carried(numbers["steps"])
    settings = f"The peer: {', '.join(numbers['settings'])}.\n"
    return _TEXT.format(**numbers) + rows + f"\nCarried: {carried}. {beside}\n\n{settings}"


def _of_p5(numbers: Numbers) -> int | None:
    return None if numbers["p5"] is None else jobs_carried(numbers["p5"]["steps"])


def _beside_p5(numbers: Numbers) -> float | None:
    return ratio(_of_p5(numbers), jobs_carried(numbers["steps"]))


SUBMITTED_JOBS: Final = Report(
    "A spark-submit for each job",
    _text,
    (at_least("jobs that P5 carries / these", 6, "", _beside_p5),),
    beside=("p5",),
)
