"""Jobs: their documents, what they mean and how Spark runs them. Independent of Django."""
