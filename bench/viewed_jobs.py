"""Rows of jobs that seem to run, and of people who watch them, in the database of `bench.many_viewers`.

Called in a `manage.py shell`: results are written by the bench, so that no engine takes processor time.
"""

import json

from tests.support.run_factories import DOCUMENT, job_of, running, set_result_topic
from tests.support.users import session_of
from weir.runs.models import Engine
from weir.workspaces.models import User
from weir.workspaces.services.members import create_workspace


def make(slug: str, topics: dict[str, str], people: int) -> str:
    """Make a job for each topic, and people who may watch them.

    Args:
        slug: of the workspace, new.
        topics: result topic → Kafka's id of it.
        people: how many; each may have 30 connections.

    Returns:
        JSON: ``jobs``, topic → id of its job, and ``cookies`` of the people's sessions.
    """
    owner = User.objects.create_user("bench", password=None)
    workspace = create_workspace(slug, "Bench", owner)
    jobs = {}
    for number, (topic, topic_id) in enumerate(topics.items()):
        document = DOCUMENT.replace("name: stats", f"name: stats-{number}")
        run = running(job_of(workspace, owner, document))
        set_result_topic(run, topic, topic_id)
        Engine.objects.filter(pk=run.engine_id).update(slots=1_000_000)
        jobs[topic] = run.generation.job_id
    cookies = []
    for number in range(people):
        user = User.objects.create_user(f"viewer-{number}", password=None)
        workspace.memberships.create(user=user, role="viewer")
        cookies.append(session_of(user))
    return json.dumps({"jobs": jobs, "cookies": cookies})
