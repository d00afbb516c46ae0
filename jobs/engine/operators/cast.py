"""cast in Spark (`docs/semantics/stateless-steps.md#cast`)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
