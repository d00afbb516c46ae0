"""Stores engines' reports and results in the database."""
