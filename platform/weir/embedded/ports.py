"""Checks the ports of the embedded system before anything starts: a broker without its port would exit again
and again.
"""

from itertools import chain

from weir.embedded.layout import MAX_PORT, PORT_SETTINGS, Layout
from weir.embedded.programs import embeds_kafka, embeds_valkey
from weir.embedded.readiness import bind_error, is_free

_MOVED_BY = 1_000


def port_problems(layout: Layout) -> list[str]:
    """A line for each port that can't be used, and at the end one with what to set; none where all can."""
    found: dict[str, str] = {}
    owners: dict[int, str] = {}
    for name, port in layout.ports.items():
        if not _is_embedded(name):
            continue
        if port in owners:
            found[name] = f"Port {port} is set for both {owners[port]} and {name}."
        elif problem := _problem(port):
            found[name] = f"Port {port} ({name}) {problem}."
        owners[port] = name
    if not found:
        return []
    taken, moved = set(owners), []
    for name in found:
        port = _another(layout.ports[name], taken)
        taken |= _with_followers(port)
        moved.append(f"{PORT_SETTINGS[name]}={port}")
    ports = "another one" if len(found) == 1 else "other ones"
    return [*found.values(), f"Use {ports}: {' '.join(moved)} make run"]


def _problem(port: int) -> str | None:
    error = bind_error(port)
    if error is None:
        return None
    return "needs an administrator's rights" if isinstance(error, PermissionError) else "is in use"


def _another(port: int, taken: set[int]) -> int:
    """A free port, with the two after it, which are Kafka's others where nothing else is set."""
    candidates = chain(range(port + _MOVED_BY, MAX_PORT - 1), range(20_000, port))
    return next(
        each for each in candidates if all(one not in taken and is_free(one) for one in _with_followers(each))
    )


def _with_followers(port: int) -> set[int]:
    return {port, port + 1, port + 2}


def _is_embedded(name: str) -> bool:
    if name.startswith("kafka"):
        return embeds_kafka()
    return name != "valkey" or embeds_valkey()
