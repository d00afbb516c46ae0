"""A validator's engine is killed: valid + malformed = produced, and each bad record is a dead letter."""

from typing import Any

import pytest

from jobs.formats.dead_letters import parse_headers
from tests.chaos.jobs import START_SECONDS
from tests.support.bad_records import CONTRACT, PARTITIONS, Produced, produce
from tests.support.kafka_topics import records_of
from tests.support.processes import wait_until
from tests.support.rest import Rest
from tests.support.system import System

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.timeout(1500)]


@pytest.mark.parametrize(
    ("records", "kills", "seconds"),
    [
        pytest.param(60_000, 1, 240, marks=pytest.mark.thorough),
        pytest.param(1_200_000, 2, 900, marks=pytest.mark.long),
    ],
    ids=["sixty thousand, killed once", "over a million, killed twice"],
)
def test_each_bad_record_is_kept_once_though_the_engine_is_killed(
    system: System, rest: Rest, stream_name: str, records: int, kills: int, seconds: int
) -> None:
    create = {"partitions": PARTITIONS, "retention_ms": None}
    rest.post(
        "streams",
        {
            "name": stream_name,
            "description": "",
            "topic": stream_name,
            "create": create,
            "contract": CONTRACT,
        },
    )
    part = records // (kills + 1)
    produced = produce(system.bootstrap, stream_name, part)
    rest.request("PUT", f"streams/{stream_name}/validation", {"on": True})
    for kill in range(kills):
        await_validated(rest, stream_name, 1 + kill * part, START_SECONDS)
        produce(
            system.bootstrap, stream_name, part, seed=kill, produced=produced
        )  # so that it is killed in the middle of work
        system.kill("engine")
    assert produced.count == (kills + 1) * part
    await_validated(rest, stream_name, produced.count, seconds)
    check_counts(rest, stream_name, produced)
    check_topic(system.kafka_options, validation(rest, stream_name)["dead_letter_topic"], produced)
    check_dead_letters(rest, stream_name, produced)
    redrive_group(rest, stream_name, produced)
    rest.request("PUT", f"streams/{stream_name}/validation", {"on": False})


def validation(rest: Rest, stream: str) -> dict[str, Any]:
    return dict(rest.get(f"streams/{stream}/validation"))


def await_validated(rest: Rest, stream: str, count: int, seconds: float) -> None:
    seen: dict[str, Any] = {}

    def there() -> bool:
        seen.update(validation(rest, stream))
        return bool(seen["counts"]["records"] >= count)

    try:
        wait_until(there, seconds, f"{count} records are validated")
    except AssertionError as error:
        raise AssertionError(f"{error}; {seen}") from None


def check_counts(rest: Rest, stream: str, produced: Produced) -> None:
    counts = validation(rest, stream)["counts"]
    assert (counts["records"], counts["valid"], counts["malformed"]) == (
        produced.count,
        produced.valid,
        len(produced.bad),
    )
    assert {row["reason"]: row["records"] for row in counts["by_reason"]} == produced.reasons


def check_topic(kafka: dict[str, str], topic: str, produced: Produced) -> None:
    """The dead letters are exactly the bad records, byte for byte, with coordinates and reason."""
    found: dict[tuple[int, int], tuple[str, bytes | None]] = {}
    for record in records_of(kafka, topic):
        dead_letter = parse_headers(record.headers() or [])
        assert dead_letter is not None
        assert dead_letter.key == f"key-{dead_letter.offset}".encode()
        found[dead_letter.partition, dead_letter.offset] = (dead_letter.reason, record.value())
    assert found == produced.bad


def check_dead_letters(rest: Rest, stream: str, produced: Produced) -> None:
    def listed() -> bool:
        seen = validation(rest, stream)
        return bool(seen["dead_letters"]["kept"] >= len(produced.bad) and not seen["index_pending"])

    wait_until(listed, 120, "all dead letters are listed")
    found: dict[tuple[int, int], str] = {}
    before: dict[str, int] = {}
    while True:
        page = rest.get(f"streams/{stream}/dead-letters", **before)
        for row in page["results"]:
            assert (row["partition"], row["offset"]) not in found
            found[row["partition"], row["offset"]] = row["reason"]
        if page["next"] is None:
            break
        before = {"before": page["next"]}
        if len(found) >= 3_000:  # of a million the newest are enough; all were counted by reason above
            break
    expected = {ref: reason for ref, (reason, _) in produced.bad.items()}
    assert all(expected[ref] == reason for ref, reason in found.items())
    assert validation(rest, stream)["dead_letters"]["kept"] == len(expected)


def redrive_group(rest: Rest, stream: str, produced: Produced) -> None:
    """A group goes back as it was: each of it fails once more, and says that it had been sent once."""
    group = produced.reasons["NOT_OBJECT"]
    redrive = rest.post(f"streams/{stream}/redrives", {"reason": "NOT_OBJECT", "rate": 2_000})
    assert redrive["total"] == group

    def done() -> bool:
        return bool(rest.get(f"streams/{stream}/redrives/{redrive['id']}")["state"] == "done")

    wait_until(done, 120, "the group is sent")
    assert rest.get(f"streams/{stream}/redrives/{redrive['id']}")["sent"] == group
    await_validated(rest, stream, produced.count + group, 120)
    counts = validation(rest, stream)["counts"]
    assert (counts["records"], counts["valid"]) == (produced.count + group, produced.valid)

    def back() -> bool:
        groups = {row["reason"]: row for row in rest.get(f"streams/{stream}/dead-letters/groups")["results"]}
        again = groups["NOT_OBJECT"]
        return bool((again["waiting"], again["redriven"], again["failed_again"]) == (group, group, group))

    wait_until(back, 60, "what failed again says so")
