"""REST routes of results."""
