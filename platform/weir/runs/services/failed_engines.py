"""Engines that have failed, when the system starts again."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from weir.runs.models import Desired, Engine, Observed, Run


@transaction.atomic
def try_failed_again() -> None:
    """The system starts: this host's shared engines that have failed get another try, with the runs that
    failed with them. What kept them from starting, such as a full disk, may be gone.
    """
    failed = Engine.objects.select_for_update().filter(
        kind=Engine.Kind.SHARED, host_queue=settings.HOST_QUEUE, state=Engine.State.FAILED
    )
    for engine in failed:
        runs = Run.objects.filter(engine=engine, desired=Desired.RUNNING, observed=Observed.FAILED)
        with_it = [run.pk for run in runs if run.failure == engine.failure]
        Run.objects.filter(pk__in=with_it).update(retry_at=timezone.now())
        Engine.objects.filter(pk=engine.pk).update(
            state=Engine.State.STOPPED, crashes=[], failed_starts=0, failure=None, retry_at=None
        )
