"""What the report says of the relay."""

from typing import Any, Final

from bench.aims import aim_line, aim_list

AIM_PER_CORE: Final = 100_000
AIM_DELAY_S: Final = 1.0


def relay_text(numbers: dict[str, Any]) -> str:
    """The section.

    Args:
        numbers: of `bench.relay.measure`.
    """
    rows, slowest, delays = "", [], []
    for database, shapes in numbers["databases"].items():
        for shape, at in shapes.items():
            small = at["small job's rows, s"]
            rows += (
                f"| {database} | {shape} | {at['rows_per_core_second']:,} | {at['rows_per_second']:,} "
                f"| {at['relay_cores']} | {at['database_cores']} | {small['p50']} | {small['max']} |\n"
            )
            delays.append(small["max"])
            if shape == "folded":
                slowest.append(at["rows_per_core_second"])
    aims = [
        aim_line(f"at least {AIM_PER_CORE:,} a second and core, folded", met=min(slowest) >= AIM_PER_CORE),
        aim_line(f"a small job's row waits at most {AIM_DELAY_S:g} s", met=max(delays) <= AIM_DELAY_S),
    ]
    return (
        "\n## The relay\n\n"
        f"{numbers['records']:,} result rows of one job wait in Kafka and are stored by a relay that begins; "
        f"folded: they belong to {numbers['keys']:,} keys, of which only the newest row is written. Cores "
        "are processor time of the relay, and of the database where it is a process. Meanwhile another job "
        "has ten rows a second: how long each waits until it is stored.\n\n"
        "| database | rows | a second and core of the relay | a second | relay, cores | database, cores "
        "| small job's row, p50 s | max |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|\n"
        f"{rows}" + aim_list(aims)
    )
