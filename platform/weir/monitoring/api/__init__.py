"""REST routes of monitoring."""
