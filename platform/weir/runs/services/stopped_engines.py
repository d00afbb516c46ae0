"""Forgets shared engines that stopped long ago."""

from datetime import datetime

from django.db import transaction

from weir.runs.models import Engine, Run
from weir.runs.services.engine_logs import delete_engine_log
from weir.runs.services.placement import DEDICATED_PREFIX


def delete_engines_stopped_before(at: datetime) -> None:
    """Delete shared engines that nobody has started, heard of or commanded since this instant, with their
    logs on this host. A job's own has files on its host, which are found by its row when the job is deleted.
    """
    stopped = Engine.objects.filter(should_run=False, state=Engine.State.STOPPED, started_at__lt=at)
    stopped = stopped.exclude(id__startswith=DEDICATED_PREFIX)
    stopped = stopped.exclude(last_seen_at__gte=at).exclude(last_command_at__gte=at)
    with transaction.atomic():
        # Held, so that no start takes one of them meanwhile.
        held = list(stopped.select_for_update().values_list("pk", flat=True))
        used = set(Run.objects.holding().filter(engine__in=held).values_list("engine_id", flat=True))
        gone = [engine_id for engine_id in held if engine_id not in used]
        Engine.objects.filter(pk__in=gone).delete()
    for engine_id in gone:
        delete_engine_log(engine_id)
