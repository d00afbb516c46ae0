"""drop in Spark (`docs/semantics/stateless-steps.md#derive-select-rename-drop`)."""

from jobs.engine.operators.projection import lower

__all__ = ["lower"]
