"""A gate of an engine that lets every run start at once."""

from jobs.engine.start_gate import StartGate


def open_gate() -> StartGate:
    """A gate whose host has processor time for all."""
    return StartGate(lambda: None, lambda: 0)
