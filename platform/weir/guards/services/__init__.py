"""The verbs about guards and dead letters, one file each; nothing else writes their tables."""
