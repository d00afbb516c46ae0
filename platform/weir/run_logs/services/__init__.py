"""How far running jobs are behind: end offsets, lag and its history, skipped records."""
