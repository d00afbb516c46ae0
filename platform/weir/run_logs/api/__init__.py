"""REST routes of lag."""
