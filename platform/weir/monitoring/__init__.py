"""What Prometheus reads: every measured value of jobs, streams, engines and clusters."""
