"""REST route of the diagnosis."""
