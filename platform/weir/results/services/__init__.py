"""Stored results: written by the relay, read by snapshots, exported, purged."""
