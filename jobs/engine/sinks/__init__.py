"""Lowering of outputs: result rows become Kafka records."""
