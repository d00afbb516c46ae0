"""What an engine takes over of its parent's environment."""

import json
import os
import subprocess
import sys
from pathlib import Path

from jobs.engine.inherited import inherited

SECRETS = {
    "DATABASE_URL": "postgres://weir:planted@db/weir",
    "REDIS_URL": "redis://:planted@valkey/0",
    "KAFKA_PASSWORD": "planted",
    "AWS_SECRET_ACCESS_KEY": "planted",
    "SECRET_KEY": "planted",
}


def test_only_what_is_on_the_list() -> None:
    needed = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "WEIR_ENGINE": "mark",
        "WEIR_EMBEDDED": "/data",
    }
    assert inherited(SECRETS | needed) == needed


def test_more_by_name() -> None:
    given = {"AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r", "DATABASE_URL": "d"}
    given["WEIR_ENGINE_ENVIRONMENT"] = "AWS_REGION, AWS_SECRET_ACCESS_KEY"
    assert inherited(given) == {"AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "r"}


def test_the_process_that_spark_submit_becomes_has_no_other() -> None:
    """As started by `jobs.engine.submit`, with a program for spark-submit that prints its environment."""
    program = (
        "import os, sys; from pathlib import Path; from jobs.engine.submit import environment;"
        "told = 'import os, json; print(json.dumps(dict(os.environ)))';"
        "os.execve(sys.executable, [sys.executable, '-c', told], environment(Path('/spark'), here=True))"
    )
    root = str(Path(__file__).parents[4])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **SECRETS, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "planted" not in done.stdout
    assert json.loads(done.stdout)["SPARK_HOME"] == "/spark"
