"""Django's backend for PostgreSQL with JSON as text, as SQLite stores it (`base`)."""
