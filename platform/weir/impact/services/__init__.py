"""What a change of a schema or contract would do to jobs; subjects with their versions."""
