"""A job's rows before it is started: asks an engine to play its document, and waits for the answer."""
