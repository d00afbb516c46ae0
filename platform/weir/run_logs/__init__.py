"""How far every running job is behind, now and over the last hour."""
