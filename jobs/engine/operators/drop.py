"""drop in Spark (`semantics.md` 4.2)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
