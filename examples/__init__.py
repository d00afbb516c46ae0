"""Examples: each folder holds a job document, its streams, a data generator and the expected results."""
