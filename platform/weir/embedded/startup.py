"""Starts the system: brokers, databases, services and the demo, each as early as its dependencies allow."""

import os
import subprocess
import sys
from contextlib import nullcontext

from weir.embedded import saved_environment
from weir.embedded.demo_progress import DemoProgress, running_demo
from weir.embedded.kafka_rights import complete_access
from weir.embedded.layout import Layout
from weir.embedded.migrations_stamp import is_migrated
from weir.embedded.programs import (
    BROKERS,
    SERVICES,
    Program,
    embeds_kafka,
    embeds_valkey,
    environment,
    kafka_node,
    programs,
    valkey_node,
)
from weir.embedded.progress_output import step
from weir.embedded.readiness import START_TIMEOUT_S, NotReadyError, is_healthy, listens, wait_for
from weir.embedded.supervisor import StartWatch, Supervisor, launch


def start(layout: Layout, development: bool, demo: bool) -> tuple["subprocess.Popen[bytes]", str]:
    """Start all processes and wait until they are ready.

    Args:
        layout: folders and ports.
        development: restart processes when their source changes.
        demo: create and feed the demo workspace.

    Returns:
        The supervisor's process, and the path of a one-time sign-in link (empty without demo).

    Raises:
        NotReadyError: a process did not get ready.
        GoneError: the supervisor was stopped meanwhile.
    """
    had_user = _prepare_brokers(layout)
    found, variables = programs(layout, development), environment(layout)
    saved_environment.save(layout.data, variables)
    running = launch(layout, found, variables)
    supervisor = Supervisor(layout.supervisor_socket)
    wait_for("supervisord", lambda: supervisor.answers, lambda: running.poll() is not None, START_TIMEOUT_S)
    brokers = [program for program in found if program.name in BROKERS]
    for program in brokers:
        supervisor.start(program.name)
    if not had_user:  # the services would not retry a denied sign-in
        with step("Kafka user of Weir"):
            await_program(supervisor, "kafka", layout.kafka_secured_port)
            _complete_access(layout)
    if not is_migrated(layout):
        with step("Database"):
            _run("weir.embedded.migrate", layout, variables)
    # The services wait for the brokers themselves. The engine takes longest, and the worker starts it.
    if not development:
        with step("Platform"):
            supervisor.preload("load_worker")
            supervisor.start("worker")
            supervisor.preload("load_others")
    for name in SERVICES:
        supervisor.start(name)
    with running_demo(supervisor, layout) if demo else nullcontext() as progress:
        _await_brokers(supervisor, brokers, layout, completes_access=had_user and embeds_kafka())
        with step("Web, worker, beat and relay"):
            _await_services(supervisor, found, int(variables["WEIR_WEB_PORT"]))
        link = "" if progress is None else _seed(supervisor, progress)
    return running, link


def _prepare_brokers(layout: Layout) -> bool:
    """Write the brokers' settings; False when Kafka's storage exists without a user of known password."""
    if embeds_valkey():
        valkey_node(layout).prepare()
    if not embeds_kafka():
        return True
    node = kafka_node(layout)
    try:
        if node.formatted:
            had_user = node.access is not None and node.access.password_file.exists()
            node.prepare()
            return had_user
        with step("Kafka's storage"):
            node.prepare()
    except RuntimeError as error:
        raise NotReadyError("kafka", f"can't start: {error}") from error
    return True


def _complete_access(layout: Layout) -> None:
    try:
        complete_access(kafka_node(layout), START_TIMEOUT_S)
    except RuntimeError as error:
        raise NotReadyError("kafka", str(error)) from error


def _run(module: str, layout: Layout, variables: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=layout.repository,
        env=os.environ | variables,
        check=False,
        start_new_session=True,  # Ctrl-C is this process's to handle
    )
    if done.returncode != 0:
        raise NotReadyError(module, f"exited with {done.returncode}")


def await_program(supervisor: Supervisor, name: str, port: int | None = None) -> None:
    """Wait until a program runs and listens.

    Args:
        supervisor: has been told to start it.
        name: of the program.
        port: that it listens on, if any.

    Raises:
        NotReadyError: it ends again and again, or takes too long.
    """
    wait_for(
        name,
        lambda: supervisor.runs(name) and (port is None or listens(port)),
        StartWatch(supervisor, name).gave_up,
        START_TIMEOUT_S,
    )


def _await_brokers(
    supervisor: Supervisor, brokers: list[Program], layout: Layout, *, completes_access: bool
) -> None:
    if not brokers:
        return
    with step(" and ".join(program.name.capitalize() for program in brokers)):
        for program in brokers:
            await_program(supervisor, program.name, program.port)
        if completes_access:
            _complete_access(layout)


def _await_services(supervisor: Supervisor, found: list[Program], web_port: int) -> None:
    for program in found:
        if program.name in SERVICES:
            await_program(supervisor, program.name, program.port)
    wait_for("web", lambda: is_healthy(web_port), StartWatch(supervisor, "web").gave_up, START_TIMEOUT_S)


def _seed(supervisor: Supervisor, progress: DemoProgress) -> str:
    """Follow the progress of the demo and start the feeds; returns the sign-in link's path."""
    with step("Demo workspace"):
        examples = progress.expect("seeded").split()
    with step("Engine and jobs"):
        problem = progress.expect("running")
    # Not earlier: they would take processor time from the engine. Those of new jobs began with these.
    for example in examples:
        supervisor.start(f"feed-{example}")
    if problem:
        print(f"  {problem}")
    with step("First results"):
        missing = progress.expect("results")
    if missing:
        print(f"  no results yet: {missing}")
    return progress.expect("link")
