"""Contract validation: validators of streams, the dead letters that they keep, and redrives."""

"""Contract validation: validators of streams, the dead letters that they keep, and redrives."""
