"""Errors out of a log, to a topic of their own, and how many each service has."""
