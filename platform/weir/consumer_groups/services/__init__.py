"""Watching groups, judging them, and changing them."""
