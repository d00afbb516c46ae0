"""Plays the scripts of a folder without a broker: ``python -m jobs.engine.play_files FOLDER SECONDS``.

The platform starts it, and reads the results as they come. It ends when every script has one, and ends itself
after SECONDS, with all that it started: whoever started it may be gone.
"""

import logging
import os
import signal
import sys
import threading
import uuid
from pathlib import Path

from jobs.engine.folder_plays import play_next
from jobs.engine.local_session import local_session
from jobs.job_tests.play_folder import PlayFolder


def main(folder: Path, seconds: float) -> None:
    """Play every script.

    Args:
        folder: a `PlayFolder`.
        seconds: after which this process and all that it started is killed; it leads its own process group.
    """
    logging.basicConfig(level=logging.ERROR)
    _end_after(seconds)
    with local_session() as (session, work):
        while play_next(session, PlayFolder(folder), work / uuid.uuid4().hex):
            pass


def _end_after(seconds: float) -> None:
    def end() -> None:
        if os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
