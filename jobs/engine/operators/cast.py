"""cast in Spark (`semantics.md` 4.3)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
