"""Lowering of record formats: bytes become typed fields inside Spark."""
