"""REST routes of tests of jobs."""
