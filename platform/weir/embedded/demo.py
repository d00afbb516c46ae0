"""Makes the demo workspace: a person, the examples, running. Says in lines how far it is, for `weir.embedded.run`.

``seeded <feeds>`` when topics and jobs are there, with the examples to feed; ``running`` when the engine runs the jobs;
``results <jobs>`` when each job has given its first results, with those that have not in time;
``link <path>`` with a one-time sign-in link; ``failed <why>`` instead of any of them.
"""

import sys
import time
from pathlib import Path

import django
from django.conf import settings
from django.utils import timezone

django.setup()

from weir.clusters.clients import home_profile  # noqa: E402  # models exist only after django.setup
from weir.clusters.topics import reachable  # noqa: E402
from weir.results.queries import read_position  # noqa: E402
from weir.runs.examples import all_examples, use_example  # noqa: E402
from weir.runs.feeds import used_feeds  # noqa: E402
from weir.runs.models import Engine, Job, Observed, Run  # noqa: E402
from weir.runs.planning import current_generation  # noqa: E402
from weir.runs.services import start_job  # noqa: E402
from weir.runs.services.engines import engine_log  # noqa: E402
from weir.runs.services.placement import WARM_ENGINE  # noqa: E402
from weir.workspaces.errors import ServiceError  # noqa: E402
from weir.workspaces.models import User, Workspace  # noqa: E402
from weir.workspaces.one_time_tokens import create_sign_in_link  # noqa: E402
from weir.workspaces.services import create_workspace  # noqa: E402

SLUG = "demo"
BROKER_SECONDS = 60
RESULTS_SECONDS = 30


class SeedError(Exception):
    """The demo could not be made; the message says why."""


def person() -> User:
    """The demo's owner. Has no password: who started the system gets in by a link."""
    found: User | None = User.objects.filter(username=SLUG).first()
    if found is None:
        found = User.objects.create_user(username=SLUG, display_name="Demo")
        found.set_unusable_password()
        found.save()
    return found


def seed() -> list[Job]:
    """The workspace with the demo's examples in it, started; only the first time. What a person changed since then stays so.

    Returns:
        The jobs that were started.

    Raises:
        SeedError: Kafka does not answer, or an example is refused.
    """
    wait_for_broker()
    owner = person()
    if _marker().exists():
        return []
    workspace = Workspace.objects.filter(slug=SLUG).first() or create_workspace(SLUG, "Demo", owner)
    jobs = []
    for example in (each for each in all_examples() if each.demo):
        try:
            job = use_example(workspace, owner, example.id)
            jobs.append(start_job(job, owner, "earliest"))
        except ServiceError as error:
            raise SeedError(f"{example.id}: {error.detail}") from error
    _marker().touch()
    return jobs


def wait_for_broker() -> None:
    """Until Kafka answers.

    Raises:
        SeedError: not in time.
    """
    until = time.monotonic() + BROKER_SECONDS
    while error := reachable(home_profile()):
        if time.monotonic() > until:
            raise SeedError(f"Kafka is unreachable: {error}")
        time.sleep(0.2)


def wait_for_jobs(jobs: list[Job], deadline_seconds: float) -> None:
    """Until each job's run was reported as running, or failed.

    Raises:
        SeedError: not in time, or one failed; says which.
    """
    until = time.monotonic() + deadline_seconds
    while waiting := [job for job in jobs if _observed(job) not in (Observed.RUNNING, Observed.REPLAYING)]:
        failed = [job.name for job in waiting if _observed(job) == Observed.FAILED]
        if failed or time.monotonic() > until:
            raise SeedError(f"{', '.join(failed or [job.name for job in waiting])}: {'failed' if failed else 'did not start in time'}")
        time.sleep(0.2)


def wait_for_results(jobs: list[Job], deadline_seconds: float) -> list[str]:
    """Until each job's first results are stored; the names of those that have none in time, which is no fault."""
    until = time.monotonic() + deadline_seconds
    while (waiting := [job for job in jobs if not _has_results(job)]) and time.monotonic() < until:
        time.sleep(0.2)
    return [job.name for job in waiting]


def wait_for_engine(deadline_seconds: float) -> None:
    """Until the warm engine is ready; what it resumes shows by itself how far it is.

    Raises:
        SeedError: not in time, or it failed.
    """
    until = time.monotonic() + deadline_seconds
    began = timezone.now()  # what was heard before may be of an engine that was killed with the system
    while not Engine.objects.filter(pk=WARM_ENGINE, ready=True, last_seen_at__gt=began).exists():
        if Engine.objects.filter(pk=WARM_ENGINE, state=Engine.State.FAILED).exists() or time.monotonic() > until:
            raise SeedError(f"the engine didn't start; see {engine_log(WARM_ENGINE)}")
        time.sleep(0.2)


def _has_results(job: Job) -> bool:
    generation = current_generation(job)
    return generation is not None and any(read_position(job.pk, generation.number)[1].values())


def _observed(job: Job) -> str:
    run = Run.objects.filter(generation__job=job).order_by("-generation__number").first()
    return run.observed if run else ""


def _marker() -> Path:
    return Path(settings.DATA_DIR) / "demo-made"


def main() -> None:
    """The command line: how many seconds the engine may take."""
    try:
        jobs = seed()
        print("seeded", *used_feeds(), flush=True)
        wait_for_engine(float(sys.argv[1]))
        wait_for_jobs(jobs, float(sys.argv[1]))
        print("running", flush=True)
        print("results", *wait_for_results(jobs, RESULTS_SECONDS), flush=True)
        print(f"link {create_sign_in_link(person())}", flush=True)
    except SeedError as error:
        print(f"failed {error}", flush=True)


if __name__ == "__main__":
    main()
