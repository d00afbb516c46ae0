"""Aims and whether they are met, as lines of the report."""

from collections.abc import Iterable


def aim_line(text: str, met: bool) -> str:
    """What was reached, and whether that is enough."""
    return f"{text}: {'met' if met else '**falls short**'}"


def aim_list(lines: Iterable[str]) -> str:
    """The lines as a list in Markdown."""
    return "\n" + "".join(f"- {line}\n" for line in lines)
