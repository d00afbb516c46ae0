"""REST routes of consumer groups."""
