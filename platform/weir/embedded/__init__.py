"""What `make run` sets up and starts on one machine.

`bootstrap` and what it imports run on the system's Python before anything is installed: standard library only.
"""
