"""Lines of text in, words and how often they were seen out."""
