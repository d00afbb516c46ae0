"""Rows of jobs that seem to run, and of people who watch them, in the database of `bench.many_viewers`.

Called in a `manage.py shell`: results are written by the bench, so that no engine takes processor time.
"""

import json

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from tests.support.run_factories import DOCUMENT, job_of, running
from weir.runs.models import Engine, Generation
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
        Generation.objects.filter(pk=run.generation_id).update(
            result_topic=topic,
            result_topic_id=topic_id,
            result={"identity_kind": "key", "windowed": False},
        )
        Engine.objects.filter(pk=run.engine_id).update(slots=1_000_000)
        jobs[topic] = run.generation.job_id
    cookies = []
    for number in range(people):
        user = User.objects.create_user(f"viewer-{number}", password=None)
        workspace.memberships.create(user=user, role="viewer")
        cookies.append(_session(user))
    return json.dumps({"jobs": jobs, "cookies": cookies})


def _session(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key is not None
    return session.session_key
