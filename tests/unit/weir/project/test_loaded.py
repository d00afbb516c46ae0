"""What is loaded for all processes can be forked: it has no thread, no open file and no connection."""

import json
import subprocess
import sys

CODE = """
import json, os, sys, threading
before = {number: os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if
          os.path.exists(f"/proc/self/fd/{number}")}
from weir.project import loaded
loaded.load_worker()
tasks = set(sys.modules)
loaded.load_others()
from django.db import connections
print(json.dumps({
    "threads": threading.active_count(),
    "files": [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
              if number not in before and os.path.exists(f"/proc/self/fd/{number}")],
    "connections": [each.alias for each in connections.all(initialized_only=True)
                    if each.connection is not None],
    "early": sorted({"weir.project.asgi", "rest_framework.views"} & tasks),
    "late": sorted({"weir.project.asgi"} & set(sys.modules)),
}))
"""


def test_nothing_that_a_fork_would_share_is_open() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "threads": 1,
        "files": [],
        "connections": [],
        "early": [],
        "late": ["weir.project.asgi"],
    }, "the worker's part loads no web interface"
