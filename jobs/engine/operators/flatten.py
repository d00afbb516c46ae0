"""flatten in Spark (`semantics.md` 4.4)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
