"""What is measured, and how it is written for Prometheus."""
