"""What engines log about the runs of a job: stored, read in pages."""
