"""One reason why readers of one schema cannot read what was written with another."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class Difference:
    """An incompatibility.

    Attributes:
        rule: fixed name of the rule that is broken.
        path: where in the reader's schema, as ``order.items[].price``; empty for the whole.
        message: what is wrong there.
        allowed: what would be allowed instead.
    """

    rule: str
    path: str
    message: str
    allowed: str

    def text(self, side: str) -> str:
        """One line for Confluent's clients."""
        return f"{side} {self.rule} at {self.path or 'the root'}: {self.message} {self.allowed}"

    def at(self, path: str) -> "Difference":
        """The same, found at this path."""
        return replace(self, path=path)

    def under(self, path: str) -> "Difference":
        """The same, with its own path below this one."""
        between = "." if path and self.path and self.path[0] not in "[{" else ""
        return replace(self, path=f"{path}{between}{self.path}")


TOO_LARGE: Final = Difference(
    "NOT_COMPARED", "", "The schemas are too large to compare.", "Allowed: smaller schemas."
)
NO_SCHEMA: Final = Difference(
    "NOT_COMPARED",
    "",
    "What is referred to here, or a part of it, is no JSON Schema, or can't be looked up.",
    "Allowed: JSON pointers to schemas outside of parts with an $id of their own, or the same values there.",
)
