"""The relay: how many result rows it stores, and how long a small job's rows wait."""

from typing import Final

from bench.aims import Numbers, Report, at_least, at_most


def _relay(numbers: Numbers) -> str:
    rows = ""
    for database, shapes in numbers["databases"].items():
        for shape, at in shapes.items():
            small = at["small job's rows, s"]
            rows += (
                f"| {database} | {shape} | {at['rows_per_core_second']:,} | {at['rows_per_second']:,} "
                f"| {at['relay_cores']} | {at['database_cores']} | {small['p50']} | {small['max']} |\n"
            )
    return (
        f"\n{numbers['records']:,} result rows of one job wait in Kafka and are stored by a relay that "
        f"begins; folded: they belong to {numbers['keys']:,} keys, of which only the newest row is written. "
        "Cores are processor time of the relay, and of the database where it is a process. Then as many come "
        "at once while the relay runs, and another job has ten rows a second: how long each of these waits "
        f"until it is stored. Strangers took {numbers.get('strangers', '?')} cores.\n\n"
        "| database | rows | a second and core of the relay | a second | relay, cores | database, cores "
        "| small job's row, p50 s | max |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|\n"
        f"{rows}"
    )


def _slowest(numbers: Numbers) -> float:
    return float(min(shapes["folded"]["rows_per_core_second"] for shapes in numbers["databases"].values()))


def _longest(numbers: Numbers) -> float | None:
    waits = [
        at["small job's rows, s"]["max"] for shapes in numbers["databases"].values() for at in shapes.values()
    ]
    return None if None in waits or numbers.get("failed") else max(waits)


RELAY: Final = Report(
    "The relay",
    _relay,
    (
        at_least("folded rows per second and core", 100_000, "rows", _slowest),
        at_most("a small job's row waits", 1, "s", _longest),
    ),
)
