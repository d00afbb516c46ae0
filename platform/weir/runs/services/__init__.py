"""Services of jobs, runs and engines; nothing else writes their tables."""
