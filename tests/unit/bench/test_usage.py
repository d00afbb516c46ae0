"""Processor time counts of all processes below one, of those that began or ended meanwhile, too."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from bench.usage import cpu_below, measure, with_children

WORK = "import time\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\ninput()"


@contextmanager
def _worker() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has taken half a second of processor time, and lives."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", WORK], **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"done\n"
        yield process
        process.communicate(b"\n")


def test_a_process_that_began_meanwhile_counts_while_it_lives_and_after_its_end() -> None:
    before = cpu_below(os.getpid())
    with _worker():
        assert cpu_below(os.getpid()) - before >= 0.45
    assert cpu_below(os.getpid()) - before >= 0.45


def test_one_that_is_left_out_does_not_count() -> None:
    with _worker() as process:
        whole, rest = cpu_below(os.getpid()), cpu_below(os.getpid(), without=process.pid)
        assert whole - rest >= 0.4


def test_use_of_a_tree_has_what_began_in_it_meanwhile() -> None:
    with _worker() as one:
        asked: list[list[psutil.Process]] = []

        def workers() -> dict[str, list[psutil.Process]]:
            asked.append(with_children(one.pid) if asked else [])
            return {"workers": asked[-1]}

        use = measure(workers, seconds=0.5, every=0.1)["workers"]
        assert use.cores > 0
        assert use.rss_mb > 1
