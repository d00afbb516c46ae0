"""Materialised results: the newest row per key of every generation, with the offsets it was read to."""
