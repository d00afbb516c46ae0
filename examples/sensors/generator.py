"""A seeded generator of readings of machines that run, stop, and now and then wear out."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from examples.command import encoded, run
from examples.feed import Due

MACHINES = ("lathe-1", "lathe-2", "mill-1", "mill-2", "press-1", "press-2", "saw-1", "drill-1")
REST_TEMPERATURE = 40.0
WEAR_SHARE = 0.01


@dataclass
class _Machine:
    """Runs until `until`, then stands still until `since`; seconds after the start."""

    since: float
    until: float
    temperature: float = REST_TEMPERATURE
    wearing: bool = False


def events(seed: int, rate: float, begin_ms: int) -> Iterator[Due]:
    """Readings at `rate` per second in all, of each machine in turn while it runs."""
    chance = random.Random(seed)
    machines = {name: _Machine(0.0, chance.uniform(60, 240)) for name in MACHINES}
    number = 0
    while True:
        at = number / rate
        name = MACHINES[number % len(MACHINES)]
        machine = machines[name]
        if at > machine.until:
            machines[name] = machine = _Machine(at + chance.uniform(20, 60), at + chance.uniform(90, 300))
        if at >= machine.since:
            yield Due(
                at,
                name.encode(),
                encoded(_reading(chance, name, machine, begin_ms + round(at * 1_000))),
                "machine_readings",
            )
        number += 1


def _reading(chance: random.Random, name: str, machine: _Machine, at_ms: int) -> dict[str, object]:
    machine.wearing = machine.wearing or chance.random() < WEAR_SHARE
    aim = REST_TEMPERATURE + (45 if machine.wearing else 5)
    machine.temperature += 0.01 * (aim - machine.temperature) + chance.gauss(0, 0.2)
    vibration = abs(chance.gauss(0.8 if machine.wearing else 0.3, 0.1))
    return {
        "machine": name,
        "temperature": round(machine.temperature, 2),
        "vibration": round(vibration, 3),
        "at": at_ms,
    }


if __name__ == "__main__":
    run(__doc__, events, 8, "readings")
