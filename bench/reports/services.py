"""Check, validator, consumer groups, alerts: what parts of the platform cost."""

from typing import Final

from bench.aims import Numbers, Report, at_most, below

_CHECK: Final = """
A document of {steps} steps, checked as the editor and every request do; medians of {runs} runs. "Again" is
the same text once more, as while somebody types. The import is in a process of its own.

| | ms |
|---|---|
| first check | {first_ms} |
| again | {again_ms} |
| import of jobs.plan | {import_ms} |
"""

_VALIDATOR: Final = """
A stream's validator alone in a warm engine, for {seconds} s: {rate:,} records/s in two partitions,
{malformed:.0%} of them malformed and written to the dead letters. The engine without it took {idle_cores}
cores, strangers {strangers}.

| | cores |
|---|---|
| engine with the validator | {cores} |
"""

_ALERTS: Final = """
{rules:,} rules over result rows and {rate:,} rows/s, {seconds} s of traffic, evaluated as the relay does:
rules and rows spread evenly over {jobs} jobs, and all rules over one job whose rows have 100 keys.

| | cores |
|---|---|
| {jobs} jobs | {cores} |
| one job | {one_job_cores} |
"""

_WAYS: Final = {
    "each_group": "each group asked for (librdkafka)",
    "read": "all groups read together",
    "pass": "the same, with health, forecasts and the database",
}


def _consumer_groups(numbers: Numbers) -> str:
    rows = ""
    for name, title in _WAYS.items():
        at = numbers[name]
        rows += (
            f"| {title} | {at['requests']:,} | {at['cpu_ms']:,.0f} | {at['broker_cpu_ms']:,.0f} "
            f"| {at['seconds']:.2f} |\n"
        )
    each, read, whole = (numbers[name] for name in _WAYS)
    return (
        f"\n{numbers['groups']:,} groups of {numbers['partitions']} partitions each, all of them behind, one "
        "broker; per pass, the median of several. "
        f"Requests: {each['requests'] / read['requests']:,.0f} times fewer; CPU: "
        f"{each['cpu_ms'] / read['cpu_ms']:.1f} times less for the same numbers, "
        f"{each['cpu_ms'] / whole['cpu_ms']:.1f} times with all that is made of them.\n\n"
        "| way | requests | CPU of the process (ms) | CPU of the broker (ms) | wall (s) |\n"
        "|---|--:|--:|--:|--:|\n"
        f"{rows}"
    )


CHECK: Final = Report(
    "Check",
    lambda numbers: _CHECK.format(**numbers),
    (
        at_most("first check", 20, "ms", lambda numbers: numbers["first_ms"]),
        at_most("import", 400, "ms", lambda numbers: numbers["import_ms"]),
    ),
)
VALIDATOR: Final = Report("Validator", lambda numbers: _VALIDATOR.format(**numbers))
CONSUMER_GROUPS: Final = Report("Watching consumer groups", _consumer_groups)
ALERTS: Final = Report(
    "Alerts",
    lambda numbers: _ALERTS.format(**numbers),
    (below("evaluation", 0.3, "core", lambda numbers: max(numbers["cores"], numbers["one_job_cores"])),),
)
