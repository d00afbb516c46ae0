"""A program of tests/integration/embedded/test_forked_programs.py: notes what it is, then ends or stays."""

import atexit
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path


def main() -> None:
    """Arguments: the file to write, and the exit status; "stay" instead waits for a signal."""
    file, end = sys.argv[1:]
    handlers = {each.name: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP)}
    seen = {
        "name": __name__,
        "loaded": "weir.project.celery" in sys.modules,
        "defaults": all(handler == signal.SIG_DFL for handler in handlers.values()),
        "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "environment": {name: os.environ.get(name) for name in ("WEIR_FORK", "REDIS_URL", "OWN")},
    }
    Path(file).write_text(json.dumps(seen))
    if end == "stay":
        signal.pause()
    atexit.register(lambda: Path(file).with_suffix(".exit").touch())
    threading.Thread(target=lambda: (time.sleep(0.3), Path(file).with_suffix(".thread").touch())).start()
    print("said to the log", end="", flush=False)
    sys.exit(int(end))


if __name__ == "__main__":
    main()
