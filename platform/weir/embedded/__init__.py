"""The local system of `make run`: installation, start, supervision and stop of all processes on one machine.

`prerequisites`, `install` and the modules they import run on the system's Python before anything is
installed, so they use the standard library only.
"""
