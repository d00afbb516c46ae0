"""Views of contract validation, dead letters and redrives."""
