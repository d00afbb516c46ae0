"""Writes down that this host's engines were ended with the whole system, so that the next start does not take it for a crash.

It is started while they end, as it takes its time to begin, and does it once its input says that they have: anything but nothing.
"""

import sys

import django

django.setup()

from weir.runs.services.engines import note_host_ended  # noqa: E402  # models exist only after django.setup


def main() -> None:
    """The command line."""
    if sys.stdin.read():
        note_host_ended()


if __name__ == "__main__":
    main()
