"""Lowering of inputs: a bound source becomes a streaming frame."""
