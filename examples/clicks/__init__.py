"""Pages that were viewed, the searches that followed within a second, and whose they were."""
