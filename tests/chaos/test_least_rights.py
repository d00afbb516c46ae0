"""A cluster whose user has the rights of `docs/reference/clusters.md#rights` for jobs, and no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AclOperation

from tests.chaos.jobs import assert_exact, create
from tests.chaos.load import CONTRACT, Load
from tests.support.processes import wait_until
from tests.support.rest import Answer, Rest
from tests.support.secured_kafka import SecuredKafka

pytestmark = [pytest.mark.integration, pytest.mark.chaos, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture
def far(tmp_path: Path) -> Iterator[SecuredKafka]:
    server = SecuredKafka(tmp_path / "far", "plain-password", has_acls=True)
    server.start()
    server.set_password("ann", "first")
    yield server
    server.stop()


def test_a_job_needs_to_read_and_what_needs_more_says_so(
    rest: Rest, far: SecuredKafka, stream_name: str
) -> None:
    far.create_topic(stream_name, 2)
    far.allow("ann", stream_name, AclOperation.READ, AclOperation.DESCRIBE)
    cluster = rest.post("clusters", {"name": "Far", **far.scram("ann", "first")})["id"]
    body = {"name": stream_name, "description": "", "cluster": cluster, "topic": stream_name}
    rest.post("streams", {**body, "create": None, "contract": CONTRACT})
    job = create(rest, "far", stream_name, "microbatch")
    with Load(far.bootstrap, stream_name, rate=50) as load:
        job.start()
        assert_exact(job, load.finish(), 240)
    assert rest.get(f"streams/{stream_name}/records", **{"from": "newest", "limit": 3})["records"]
    topic = rest.get(f"clusters/{cluster}/topics/{stream_name}")
    assert (len(topic["partitions"]), set(topic["settings"].values())) == (2, {None})
    with pytest.raises(Answer) as refused:
        rest.post(f"clusters/{cluster}/topics", {"name": "new", "partitions": 1})
    assert refused.value.body["code"] == "FORBIDDEN_BY_KAFKA"
    assert "user ann" in refused.value.body["detail"]

    rest.request("PUT", f"streams/{stream_name}/validation", {"on": True})

    def failure() -> dict[str, object] | None:
        found: dict[str, object] | None = rest.get(f"streams/{stream_name}/validation")["failure"]
        return found

    wait_until(failure, 60, "validation says why it does not start")
    told = failure()
    assert told is not None
    assert (told["code"], told["permanent"]) == ("FORBIDDEN_BY_KAFKA", True)
    rest.post(f"jobs/{job.id}/stop")
