"""Searches after which nobody clicked on anything."""
