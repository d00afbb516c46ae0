"""Loads what the platform's processes need, once, for all that are forked from this one
(`weir.embedded.forking_supervisord`).

Nothing is imported before it is asked for: the worker, which starts the engine, does not wait for the others.
"""

import gc
from importlib import import_module
from typing import Final

_WORKER: Final = (
    "celery.bin.celery",
    "celery.apps.worker",
    "celery.concurrency.thread",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.strategy",
    "kombu.transport.redis",
)
_OTHERS: Final = (
    "celery.apps.beat",
    "weir.relay.management.commands.relay",
    "weir.project.asgi",
    "gunicorn.app.wsgiapp",
)


def load_worker() -> None:
    """Load the settings, all tasks, and what runs them."""
    app = import_module("weir.project.celery").app
    app.loader.import_default_modules()
    _load(_WORKER)
    _share()


def load_others() -> None:
    """Load what else beat, relay and web need; after `load_worker`."""
    _load(_OTHERS)
    import_module("weir.project.web_server").load_views()
    _share()


def _load(modules: tuple[str, ...]) -> None:
    for module in modules:
        import_module(module)


def _share() -> None:
    gc.freeze()  # a collection would write to what the processes share
