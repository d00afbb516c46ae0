"""The work of tests of jobs."""
