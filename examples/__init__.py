"""Examples: each folder holds a job document, the streams it reads, a program that feeds them, and the expected results."""
