"""Plays the scripts of a folder without a broker: ``python -m jobs.engine.play_files FOLDER SECONDS``.

For ``scripts/N.json`` it writes ``results/N.json``, in order, and then ends. The platform starts it, and
reads the results as they come. It ends itself after SECONDS, with all that it started: whoever started it may
be gone.
"""

import logging
import os
import signal
import sys
import threading
import uuid
from pathlib import Path

from jobs.engine.local_session import local_session
from jobs.engine.play import play
from jobs.play import PlayScript


def main(folder: Path, seconds: float) -> None:
    """Play every script.

    Args:
        folder: with ``scripts`` and ``results``.
        seconds: after which this process and all that it started is killed; it leads its own process group.
    """
    logging.basicConfig(level=logging.ERROR)
    _end_after(seconds)
    with local_session() as (session, work):
        for path in sorted((folder / "scripts").glob("*.json")):
            script = PlayScript.model_validate_json(path.read_bytes())
            result = play(session, script, work / uuid.uuid4().hex)
            hidden = folder / "results" / f".{path.name}"
            hidden.write_text(result.model_dump_json(), "utf-8")
            hidden.rename(folder / "results" / path.name)


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
