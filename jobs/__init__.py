"""What a Weir job is, what it means and how Spark runs it. Knows no Django."""
