"""Tests of a job: given records and a clock moved by hand, expected rows and counts; no Spark, no Django."""
