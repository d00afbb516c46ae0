"""Records that this host's engines were stopped with the system, so that no crash is counted.

Django takes a while to load, so `stop` starts this process while the engines are still ending. The record is
written when stdin closes after some input, `QUIET` or `NOT_QUIET`; stdin closed without input means the stop
was abandoned.
"""

import sys

import django

django.setup()

from weir.embedded.stop import QUIET  # noqa: E402
from weir.runs.services.engines import note_host_ended  # noqa: E402  # models exist only after django.setup


def main() -> None:
    """The command line."""
    ended = sys.stdin.read()
    if ended:
        note_host_ended(publish=ended == QUIET)


if __name__ == "__main__":
    main()
