"""flatten in Spark (`docs/semantics/stateless-steps.md#flatten`)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
