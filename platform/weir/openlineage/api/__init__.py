"""REST routes of alerts."""
