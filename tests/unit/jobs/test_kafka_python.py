"""kafka-python in a process of many threads."""

import subprocess
import sys

import pytest

IMPORTS = """
import sys, threading
sys.setswitchinterval(1e-5)
failed = []

def use(module):
    try:
        __import__(module)
    except Exception as error:
        failed.append(repr(error))

threads = [
    threading.Thread(target=use, args=(module,))
    for module in ("jobs.kafka_session", "jobs.kafka_request", "jobs.kafka_python") * 3
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit("; ".join(failed) or 0)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_threads_that_use_it_first_at_the_same_time_all_get_it(attempt: int) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
