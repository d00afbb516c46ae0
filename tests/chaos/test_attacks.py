"""Attacks on a running system, as somebody with a browser and time would try them (`docs/security.md`).

Each was once open. What is refused, is refused within seconds, and nobody else waits for it.
"""

import json
import os
import stat
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest
import requests
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from tests.chaos.jobs import Job, await_rows, create, register
from tests.chaos.load import CONTRACT, Load
from tests.support.hostile_documents import DOCUMENTS
from tests.support.patience import PATIENCE
from tests.support.process_family import answers_of
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(900)]

SECONDS = 15.0 * PATIENCE  # of one request on a busy machine; each of these took minutes, or for ever
DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def ops(system: System) -> Rest:
    return system.rest("ann", f"ops-{uuid4().hex[:6]}")


@pytest.fixture(scope="module")
def labs(system: System) -> Rest:
    return system.rest("mallory", f"labs-{uuid4().hex[:6]}")


def status_of(ask: Callable[[], Any]) -> int:
    """Of an answer that comes in time."""
    began = time.monotonic()
    try:
        ask()
        status = 200
    except Answer as answer:
        status = answer.status
    assert time.monotonic() - began < SECONDS
    return status


def closed_with(live: ClientConnection) -> int | None:
    """The code with which the server closes a connection, within 30 s of its last frame."""
    try:
        while True:
            live.recv(timeout=30)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


def is_let_in(rest: Rest) -> bool:
    """Whether a person has not as many connections as may be."""
    try:
        with rest.socket() as live:
            live.send(json.dumps({"op": "ping"}))
            return bool(json.loads(live.recv(timeout=30))["op"] == "pong")
    except ConnectionClosed:
        return False


def while_others_are_served(rest: Rest, ask: Callable[[], Any]) -> int:
    """The status of a request; another person's requests beside it are answered in time."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(status_of, ask)
        while not asked.done():
            assert status_of(lambda: rest.get("/session")) == 200
            time.sleep(0.05)
        return asked.result()


def test_an_example_opens_no_topic_of_its_name(ops: Rest, labs: Rest) -> None:
    def make(topic: str) -> int:
        return status_of(lambda: ops.post("clusters/home/topics", {"name": topic, "partitions": 1}))

    # Where another test has used an example, its topics are everybody's: tests/e2e/test_onboarding uses none
    # of these.
    unused = {"words": "lines", "flights": "flights", "stock": "ticks"}
    example, topic = next(pair for pair in unused.items() if make(pair[1]) == 200)
    assert status_of(lambda: labs.post(f"examples/{example}")) == 409
    assert status_of(lambda: labs.get(f"clusters/home/topics/{topic}/records")) == 404
    ops.delete(f"clusters/home/topics/{topic}")


def test_of_two_who_make_a_topic_one_has_it(ops: Rest, labs: Rest) -> None:
    name = f"raced_{uuid4().hex[:6]}"

    def make(rest: Rest) -> int:
        return status_of(lambda: rest.post("clusters/home/topics", {"name": name, "partitions": 1}))

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(make, (ops, labs)))
    assert sorted(made) == [200, 409]
    winner, loser = (ops, labs) if made[0] == 200 else (labs, ops)
    assert status_of(lambda: loser.get(f"clusters/home/topics/{name}")) == 404
    winner.delete(f"clusters/home/topics/{name}")


def test_who_followed_a_topic_does_not_follow_anothers_of_its_name(
    system: System, ops: Rest, labs: Rest
) -> None:
    name = f"followed_{uuid4().hex[:6]}"
    labs.post("clusters/home/topics", {"name": name, "partitions": 1})
    with labs.socket() as live:
        live.send(
            json.dumps(
                {"op": "subscribe", "id": 1, "channel": f"topic/home/{name}", "workspace": labs.workspace}
            )
        )
        assert json.loads(live.recv(timeout=30))["op"] != "error"
        labs.delete(f"clusters/home/topics/{name}")
        ops.post("clusters/home/topics", {"name": name, "partitions": 1})
        producer = Producer(system.kafka_options)
        producer.produce(name, b"a secret of ops")
        assert producer.flush(30) == 0
        heard, until = [], time.monotonic() + 15
        with suppress(TimeoutError):
            while time.monotonic() < until:
                heard.append(str(live.recv(timeout=until - time.monotonic())))
        assert not [frame for frame in heard if "secret" in frame or "YSBzZWNyZXQ" in frame], heard
    ops.delete(f"clusters/home/topics/{name}")


@pytest.mark.parametrize(
    "condition",
    [
        f"regexp_like(repeat('a', 25), '{'a?' * 25}{'a' * 25}')",
        "k like '%a%a%a%a%a%a%a%a%a%a%a%a%b'",
        "regexp_like(repeat('a', 40), '(a+)+$')",
    ],
)
def test_a_pattern_freezes_nothing(ops: Rest, labs: Rest, stream_name: str, condition: str) -> None:
    register(labs, stream_name)
    asked = {"where": condition, "from": "earliest"}
    assert while_others_are_served(ops, lambda: labs.get(f"streams/{stream_name}/records", **asked)) < 500


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_freezes_nothing(ops: Rest, labs: Rest, name: str) -> None:
    body = {"document": DOCUMENTS[name]}
    assert while_others_are_served(ops, lambda: labs.post("documents/check", body)) < 500


def test_a_rule_over_rows_freezes_nothing(system: System, ops: Rest, labs: Rest, stream_name: str) -> None:
    register(labs, stream_name)
    job = create(labs, "rows", stream_name, "microbatch")
    nested = "exists(sequence(1, 250), x -> exists(sequence(1, 250), y -> x + y < 0))"
    with Load(system.bootstrap, stream_name) as load:
        job.start()
        await_rows(job, load)
        rule = {"document": {"watch": {"kind": "rows", "job": job.id, "where": nested}}}
        assert while_others_are_served(ops, lambda: labs.post("alert-rules/check", rule)) < 500
        load.finish()
    labs.post(f"jobs/{job.id}/stop")


def test_a_type_that_is_no_type_is_a_problem(labs: Rest, stream_name: str) -> None:
    register(labs, stream_name)
    for type_ in ("struct<':int>", "struct<{:int>", "struct<a:int", "array<" * 400):
        document = {
            "format": 1,
            "name": "typed",
            "sources": {"s": {"stream": stream_name}},
            "steps": {"d": {"op": "derive", "input": "s", "fields": {"f": f"from_json(k, '{type_}')"}}},
            "outputs": {"live": {"input": "d", "to": "result"}},
        }
        found = labs.post("documents/check", {"document": json.dumps(document)})
        assert found["problems"], type_


def test_deep_json_is_refused(system: System, labs: Rest) -> None:
    headers = {"Content-Type": "application/json"}
    for path in ("session", f"workspaces/{labs.workspace}/documents/check"):
        answer = requests.post(f"{system.base_url}/api/v1/{path}", DEEP, headers=headers, timeout=SECONDS)
        assert 400 <= answer.status_code < 500, path
    assert status_of(lambda: labs.get("jobs", cursor=DEEP[:1_000])) < 500


def test_passwords_are_not_tried_under_other_addresses(system: System) -> None:
    session = requests.Session()
    session.get(f"{system.base_url}/api/v1/session", timeout=SECONDS)
    statuses = []
    for number in range(25):
        headers = {
            "X-CSRFToken": session.cookies["csrftoken"],
            "Origin": system.base_url,
            "X-Forwarded-For": f"203.0.113.{number}",
        }
        body = {"username": "nobody-in-particular", "password": f"guess {number}"}
        answer = session.post(
            f"{system.base_url}/api/v1/session", json=body, headers=headers, timeout=SECONDS
        )
        statuses.append(answer.status_code)
    assert 200 not in statuses
    assert statuses[-1] == 429, statuses


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "https://{host}", "null"])
def test_a_foreign_page_opens_no_socket(labs: Rest, origin: str) -> None:
    own = labs.base_url.removeprefix("http://")
    with pytest.raises(InvalidStatus):
        labs.socket(origin=origin.format(host=own))


def test_engines_listen_on_loopback_and_inherit_no_secret(system: System) -> None:
    engine = system.pid("engine")
    listening = {
        each.laddr.ip
        for connections in answers_of(engine, lambda process: process.net_connections("inet"))
        for each in connections
        if each.status == psutil.CONN_LISTEN
    }
    assert listening <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}, listening
    for told in answers_of(engine, lambda process: process.environ()):
        assert not {"DATABASE_URL", "REDIS_URL", "RESULTS_DATABASE_URL"} & told.keys()
    password = (system.layout.data / "environment").read_text().partition("REDIS_URL=redis://:")[2]
    secret = password.partition("@")[0]
    assert not [command for command in system.commands() if secret and secret in " ".join(command)]
    assert stat.S_IMODE(os.stat(system.layout.data).st_mode) == 0o700
    for file in Path(system.layout.data).glob("secrets/*"):
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_what_ends_an_engine_says_nothing_of_other_workspaces(
    system: System, ops: Rest, labs: Rest, stream_name: str
) -> None:
    jobs: list[Job] = []
    for rest, step in ((ops, "a_secret_step"), (labs, "b_secret_step")):
        name = f"{stream_name}_{step[0]}"
        register(rest, name)
        document = {
            "format": 1,
            "name": "named",
            "sources": {"s": {"stream": name}},
            "steps": {step: {"op": "filter", "input": "s", "where": "k is not null"}},
            "outputs": {"live": {"input": step, "to": "result"}},
            "settings": {"mode": "microbatch", "engine": "shared"},
        }
        jobs.append(Job(rest, rest.post("jobs", {"document": json.dumps(document)})["id"]))
        jobs[-1].start()
    system.kill("engine")
    wait_until(lambda: len(jobs[1].executions()) > 1, 240, "the engine's end is noticed")
    seen = json.dumps([labs.get(f"jobs/{jobs[1].id}"), jobs[1].executions(), labs.get("engines")])
    assert "a_secret_step" not in seen
    for job in jobs:
        job.rest.post(f"jobs/{job.id}/stop")


def test_a_watcher_who_is_removed_stops_watching(system: System, labs: Rest) -> None:
    name = f"eve-{uuid4().hex[:6]}"
    eve = system.rest(name, name)
    invitation = labs.post("invitations", {"username": name, "role": "viewer"})
    eve.post(f"/invitations/{invitation['id']}")
    (member,) = [each for each in labs.get("members")["results"] if each["user"]["username"] == name]
    with eve.socket() as live:
        live.send(json.dumps({"op": "subscribe", "id": 1, "channel": "runs", "workspace": labs.workspace}))
        assert json.loads(live.recv(timeout=30))["op"] == "subscribed"
        labs.delete(f"members/{member['id']}")
        assert closed_with(live) == 4403


def test_two_starts_at_once_make_one_run(ops: Rest, stream_name: str) -> None:
    register(ops, stream_name)
    job = create(ops, f"raced-{stream_name}", stream_name, "microbatch")

    def start(_: int) -> int:
        return status_of(lambda: ops.post(f"jobs/{job.id}/start", {"from": "earliest"}))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(start, range(4))) <= {200, 409}
    assert ops.get(f"jobs/{job.id}")["generation"] == 1
    job.await_state("running", 240)
    assert len({each["generation"] for each in job.executions()}) == 1
    with ThreadPoolExecutor(2) as pool:
        started = pool.submit(start, 0)
        pool.submit(lambda: ops.delete(f"jobs/{job.id}")).result()
        started.result()
    assert status_of(lambda: ops.get(f"jobs/{job.id}")) == 404


def test_drafts_of_one_person_do_not_pile_up(labs: Rest, stream_name: str) -> None:
    register(labs, stream_name)
    job = create(labs, f"tested-{stream_name}", stream_name, "microbatch")
    record = {"at": "1s", "values": {"k": "a", "x": 1}}
    test = {
        "format": 1,
        "name": "one",
        "start": "2026-01-01T10:00:00Z",
        "batches": [{"records": {"events": [record]}}],
        "expect": {"outputs": {"live": {"contains": [{"k": "a", "n": 1}]}}},
    }
    asked = {"document": json.dumps(test)}
    runs = [labs.post(f"jobs/{job.id}/test-drafts", asked)["id"] for _ in range(20)]

    def ended() -> bool:
        states = [labs.get(f"jobs/{job.id}/test-runs/{run}")["state"] for run in runs[:-1]]
        return set(states) == {"canceled"}

    wait_until(ended, 60, "all but the newest draft are canceled")
    labs.delete(f"jobs/{job.id}/test-runs/{runs[-1]}")


def test_who_subscribes_without_end_delays_nobody(ops: Rest, labs: Rest) -> None:
    """30 connections of one person that subscribe to lists of groups and leave them again. Who did that gets
    another connection once what was asked on them is served.
    """
    asked = {"op": "subscribe", "id": 1, "channel": "groups", "workspace": labs.workspace}

    def flood(_: int) -> None:
        with suppress(ConnectionClosed), labs.socket() as live:
            for _ in range(200):
                live.send(json.dumps(asked))
                live.send(json.dumps({"op": "unsubscribe", "id": 1}))

    with ThreadPoolExecutor(30) as pool:
        floods = [pool.submit(flood, number) for number in range(30)]
        with ops.socket() as live:
            began = time.monotonic()
            live.send(
                json.dumps({"op": "subscribe", "id": 1, "channel": "groups", "workspace": ops.workspace})
            )
            assert json.loads(live.recv(timeout=30))["op"] == "subscribed"
            assert time.monotonic() - began < SECONDS
        for each in floods:
            each.result(60)
    wait_until(lambda: is_let_in(labs), 120, "a connection ends behind what was asked on it")


def test_two_who_register_one_topic_are_not_both_let_in(ops: Rest, labs: Rest, system: System) -> None:
    """A topic that nobody has made through Weir is whose who registers it first."""
    name = f"found_{uuid4().hex[:6]}"
    admin = AdminClient(system.kafka_options)  # held until it has answered
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)

    def take(rest: Rest) -> int:
        body = {"name": "found", "topic": name, "description": "", "contract": CONTRACT}
        return status_of(lambda: rest.post("streams", body))

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(take, (ops, labs))) == [200, 404]
