"""Tells people when a job, a source, an engine, an objective or a result row is not as it should be."""
