"""Engines of a data folder that is on a machine of another name now."""

from django.conf import settings
from django.db import transaction

from weir.runs.models import Engine, EngineHost
from weir.runs.services.engine_hosts import give


@transaction.atomic
def take_engines() -> int:
    """Give the engines of all hosts to that of the settings, and forget the others. Only where this is the
    only host, and none of its processes runs.

    Returns:
        The number of engines that have another host now.
    """
    engines = list(Engine.objects.exclude(host_queue=settings.HOST_QUEUE))
    for engine in engines:
        give(engine, settings.HOST_QUEUE)
    EngineHost.objects.exclude(queue=settings.HOST_QUEUE).delete()
    return len(engines)
