"""What a change of schema does to the jobs that read its stream."""
