"""Routes about guards and dead letters."""
