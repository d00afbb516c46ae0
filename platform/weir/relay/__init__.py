"""Reads what engines write, reports and results, into the database."""
