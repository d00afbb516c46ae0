"""Jobs with result topics in a database of `bench.relay`; imported when Django is set up."""

import os
import secrets
from collections.abc import Callable

from django.core.management import call_command

from tests.support.kafka_topics import create_topic
from tests.support.run_factories import DOCUMENT, job_of, running, set_result_topic
from tests.support.users import create_user, workspace_of
from weir.results.services.queries import read_position
from weir.workspaces.models import User, Workspace


def make_tables() -> None:
    """Tables, a person and a workspace."""
    for alias in ("default", "results"):
        call_command("migrate", database=alias, verbosity=0)
    workspace_of(create_user("ann"))


def job_with_topic(name: str, fill: Callable[[str], None] | None = None) -> tuple[str, str]:
    """A running job; its id and its result topic, which is new.

    Args:
        name: of the job.
        fill: writes records into the topic before the job is there: a relay finds all of them at once.
    """
    topic = f"weir.results.{secrets.token_hex(6)}.1"
    create_topic(os.environ["KAFKA_BOOTSTRAP_SERVERS"], topic, 2, {"retention.ms": "-1"})
    if fill is not None:
        fill(topic)
    workspace, owner = Workspace.objects.get(), User.objects.get()
    run = running(job_of(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}")))
    set_result_topic(run, topic)
    return run.generation.job_id, topic


def stored(job_id: str) -> int:
    """How many records of a job's result topic are stored, those that were replaced included."""
    return sum(read_position(job_id, 1)[1].values())
