"""Why a job gives no output: an ordered walk from source to output that stops at the first cause."""
