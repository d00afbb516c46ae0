"""REST routes of the registry as people use it, and of what changes do to jobs."""
