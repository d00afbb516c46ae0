"""Reads what the sources give, asks an engine, and sums up its answer."""
