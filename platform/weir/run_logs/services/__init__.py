"""Lines of engines' logs: storing them, and reading them by run."""
