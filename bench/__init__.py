"""What is measured, against what, in one run on one broker; `make bench` writes docs/benchmarks.md."""
