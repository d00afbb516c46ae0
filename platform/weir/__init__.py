"""The web service: people, streams, jobs and what they are doing. Knows no Spark."""
