"""The REST interface of streams, their records and the topics under them."""
