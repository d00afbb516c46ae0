"""REST routes of logs."""
