"""Formats of records: what bytes must be to become rows of a stream."""
