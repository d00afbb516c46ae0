"""Creates the demo workspace, its user and its example jobs, and starts them.

It writes its progress to a file, one line each (`weir.embedded.demo_progress`):

- ``seeded <examples>``: topics and jobs exist; these examples need their feed.
- ``running``: the engine runs all jobs.
- ``results <jobs>``: the jobs have their first results, except these, which had none in time.
- ``link <path>``: one-time sign-in link.
- ``failed <reason>``: instead of any of the others.
"""

import sys
import time
from pathlib import Path

import django
from django.conf import settings
from django.utils import timezone

django.setup()

from weir.clusters.services.clients import home_profile  # noqa: E402  # models exist only after django.setup
from weir.clusters.services.reachability import reachable  # noqa: E402
from weir.embedded.readiness import START_TIMEOUT_S  # noqa: E402
from weir.results.services.queries import read_position  # noqa: E402
from weir.runs.models import Engine, Job, Observed, Run  # noqa: E402
from weir.runs.services.engine_logs import engine_log  # noqa: E402
from weir.runs.services.examples import all_examples, use_example  # noqa: E402
from weir.runs.services.failed_engines import try_failed_again  # noqa: E402
from weir.runs.services.feeds import used_feeds  # noqa: E402
from weir.runs.services.placement import WARM_ENGINE, serving_engines  # noqa: E402
from weir.runs.services.planning import current_generation  # noqa: E402
from weir.runs.services.start import start_job  # noqa: E402
from weir.workspaces.errors import ServiceError  # noqa: E402
from weir.workspaces.models import User, Workspace  # noqa: E402
from weir.workspaces.services.members import create_workspace  # noqa: E402
from weir.workspaces.services.one_time_tokens import create_sign_in_link  # noqa: E402

SLUG = "demo"
ENGINE_TIMEOUT_S = 600  # for a machine that is busy with other things; a failed engine is noticed at once
RESULTS_TIMEOUT_S = 30


class SeedError(Exception):
    """The demo workspace could not be created; the message has the reason."""


def demo_user() -> User:
    """The demo's owner. It has no password: the sign-in link printed by `make run` is the way in."""
    found: User | None = User.objects.filter(username=SLUG).first()
    if found is None:
        found = User.objects.create_user(username=SLUG, display_name="Demo")
        found.set_unusable_password()
        found.save()
    return found


def seed() -> list[Job]:
    """Create the workspace and start its example jobs, on the first start only; users' changes are kept.

    Returns:
        The started jobs; none on later starts.

    Raises:
        SeedError: Kafka is unreachable, or an example is invalid.
    """
    owner = demo_user()
    if _marker().exists():
        return []
    wait_for_broker()
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
    """Wait until Kafka is reachable, for as long as a start waits for it.

    Raises:
        SeedError: timed out.
    """
    until = time.monotonic() + START_TIMEOUT_S
    while error := reachable(home_profile()):
        if time.monotonic() > until:
            raise SeedError(f"Kafka is unreachable: {error}")
        time.sleep(0.2)


def wait_for_jobs(jobs: list[Job], timeout_s: float) -> None:
    """Wait until every job's run is reported as running.

    Raises:
        SeedError: timed out, or a run failed; the message names the jobs.
    """
    until = time.monotonic() + timeout_s
    while waiting := [job for job in jobs if _observed(job) not in (Observed.RUNNING, Observed.REPLAYING)]:
        if failed := [job.name for job in waiting if _observed(job) == Observed.FAILED]:
            raise SeedError(f"{', '.join(failed)}: failed")
        if time.monotonic() > until:
            raise SeedError(f"{', '.join(job.name for job in waiting)}: did not start in time")
        time.sleep(0.2)


def wait_for_results(jobs: list[Job], timeout_s: float) -> list[str]:
    """Wait until every job has stored results; returns the names of jobs without any after the timeout."""
    until = time.monotonic() + timeout_s
    while (waiting := [job for job in jobs if not _has_results(job)]) and time.monotonic() < until:
        time.sleep(0.2)
    return [job.name for job in waiting]


def wait_for_engine(timeout_s: float) -> None:
    """Wait until an engine is ready; not where none is wanted.

    Raises:
        SeedError: timed out, or the engine failed.
    """
    until = time.monotonic() + timeout_s
    began = timezone.now()  # earlier heartbeats may come from an engine that was killed with the system
    while not serving_engines().filter(ready=True, last_seen_at__gt=began).exists():
        if not settings.WARM_ENGINE and not serving_engines().filter(should_run=True).exists():
            return
        failed = serving_engines().filter(state=Engine.State.FAILED).exists()
        if failed or time.monotonic() > until:
            raise SeedError(f"the engine didn't start; see {engine_log(WARM_ENGINE).parent}")
        time.sleep(0.2)


def _has_results(job: Job) -> bool:
    generation = current_generation(job)
    return generation is not None and any(read_position(job.pk, generation.number)[1].values())


def _observed(job: Job) -> str:
    run = Run.objects.filter(generation__job=job).order_by("-generation__number").first()
    return run.observed if run else ""


def _marker() -> Path:
    return Path(settings.DATA_DIR) / "demo-made"


def _wait_for_all(jobs: list[Job], timeout_s: float) -> str:
    """Wait for an engine and these jobs; returns what did not come, where the system is of use without it:
    the pages of jobs that are there already say more.

    Raises:
        SeedError: the first start did not succeed.
    """
    try:
        wait_for_engine(timeout_s)
        wait_for_jobs(jobs, timeout_s)
    except SeedError as error:
        if jobs:
            raise
        return str(error)
    return ""


def main() -> None:
    """The command line: the file for the progress."""
    with Path(sys.argv[1]).open("a", buffering=1, encoding="utf-8") as progress:
        try:
            jobs = seed()
            try_failed_again()
            print("seeded", *used_feeds(), file=progress)
            print("running", _wait_for_all(jobs, ENGINE_TIMEOUT_S), file=progress)
            print("results", *wait_for_results(jobs, RESULTS_TIMEOUT_S), file=progress)
            print("link", create_sign_in_link(demo_user()), file=progress)
        except SeedError as error:
            print("failed", error, file=progress)


if __name__ == "__main__":
    main()
