"""Tests of jobs: their documents by version, their runs on Spark, and what they gave."""
