"""One reason why readers of one schema cannot read what was written with another."""

from dataclasses import dataclass


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
