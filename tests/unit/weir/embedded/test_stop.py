"""A stop reaches both processes of an engine: its JVM, and the Python process that the JVM started."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.embedded.layout import read_layout
from weir.embedded.orphan_processes import label
from weir.embedded.saved_environment import save
from weir.embedded.stop import terminate_engines, variables_of

# os.write: the signal may come while a print is not done yet, and printing is not reentrant.
PYTHON = """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'python stops\\n'), os._exit(0)))
os.write(1, b'up\\n')
signal.pause()
"""
JVM = f"""
import signal, subprocess, sys
child = subprocess.Popen([sys.executable, '-c', {PYTHON!r}])
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child.wait()
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Processes as of an engine in `tmp_path`: a leader that passes no signal on, and its child."""
    command = [sys.executable, "-c", JVM, "org.apache.spark.deploy.SparkSubmit"]
    with subprocess.Popen(
        command, env=os.environ | label(tmp_path), stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_its_python_process_does_not_wait_for_the_jvm(
    tmp_path: Path, engine: "subprocess.Popen[str]"
) -> None:
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path)})
    assert [each.pid for each in terminate_engines(layout)] == [engine.pid]
    assert engine.stdout is not None
    assert engine.stdout.readline() == "python stops\n"


def test_without_engines_nothing_is_signalled(tmp_path: Path) -> None:
    assert terminate_engines(read_layout({"WEIR_DATA_DIR": str(tmp_path)})) == []


def test_it_finds_the_brokers_from_a_shell_with_other_ports(tmp_path: Path) -> None:
    started = read_layout({"WEIR_DATA_DIR": str(tmp_path), "WEIR_KAFKA_PORT": "23092"})
    save(tmp_path, {"KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{started.kafka_secured_port}"})
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path)})
    assert variables_of(layout)["KAFKA_BOOTSTRAP_SERVERS"] == "127.0.0.1:23094"
    assert (tmp_path / "environment").stat().st_mode & 0o777 == 0o600
