"""Routes of the schema registry, as Confluent's clients know them."""
