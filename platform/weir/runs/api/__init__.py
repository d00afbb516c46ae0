"""Routes about jobs, runs and engines."""
