"""Records that this host's engines were stopped with the system, so that no crash is counted.

Django takes a while to load, so `stop` starts this process while the engines are still ending. The record is
written when stdin closes after some input, `QUIET` or `NOT_QUIET`; stdin closed without input means the stop
was abandoned.
"""

import sys

import django

django.setup()

# Models can only be imported after the line above.
from weir.clusters.services.clients import home_profile, shared_producer  # noqa: E402
from weir.embedded.stop import QUIET  # noqa: E402
from weir.runs.services.engine_ends import note_host_ended  # noqa: E402


def main() -> None:
    """The command line."""
    shared_producer(home_profile())  # connects while the engines are ending
    ended = sys.stdin.read()
    if ended:
        note_host_ended(publish=ended == QUIET)


if __name__ == "__main__":
    main()
