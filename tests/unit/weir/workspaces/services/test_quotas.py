"""Every way to make something counted is refused beyond its quota, and only that."""

import json
from typing import Any

import pytest
import yaml
from django.core.checks import run_checks
from pytest_django import Settings

from tests.support.run_factories import CONTRACT, DOCUMENT, job_of, trades
from tests.support.users import client_of, create_user, workspace_of
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Job, JobVersion
from weir.runs.services.versions import create_job, create_validator_job
from weir.schemas.models import Schema, Subject
from weir.streams.models import OwnedTopic
from weir.streams.services.ownership import require_partitions, set_owner, set_partitions
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace
from weir.workspaces.services.quotas import NAMES, require_room

pytestmark = pytest.mark.django_db(databases=["default", "results"])
API = "/api/v1/workspaces/ops"
OTHER = DOCUMENT.replace("name: stats", "name: more")
REGISTRY = "/registry/ops"


@pytest.fixture
def quotas(settings: Settings) -> dict[str, int]:
    """Ten of each, until a test changes it; of characters enough."""
    settings.QUOTAS = dict.fromkeys(NAMES, 10) | {"contract_characters": 1_000_000}
    return settings.QUOTAS


@pytest.mark.parametrize(
    ("used", "wanted", "fits"), [(9, 1, True), (10, 1, False), (8, 2, True), (8, 3, False)]
)
def test_the_last_one_fits(quotas: dict[str, int], used: int, wanted: int, fits: bool) -> None:
    if fits:
        require_room("jobs", used, wanted)
        return
    with pytest.raises(ServiceError) as refused:
        require_room("jobs", used, wanted)
    assert (refused.value.code, refused.value.more) == ("QUOTA_REACHED", {"quota": "jobs", "limit": 10})


def test_the_answer_names_the_limit_and_what_is_left(quotas: dict[str, int]) -> None:
    with pytest.raises(ServiceError, match="may have 10 jobs; none is left"):
        require_room("jobs", 12)
    with pytest.raises(ServiceError, match=r"may have 10 partitions .*; 3 of them are left"):
        require_room("partitions", 7, 4)


def refused(answer: Any, quota: str) -> bool:
    return bool(
        (answer.status_code, answer.json()["code"], answer.json()["quota"]) == (422, "QUOTA_REACHED", quota)
    )


def test_jobs_but_not_validators_count(quotas: dict[str, int], workspace: Workspace, owner: User) -> None:
    trades(workspace)
    create_validator_job(workspace, "trades!", {**_json(DOCUMENT), "name": "validator"})
    quotas["jobs"] = 1
    job_of(workspace, owner)
    assert refused(client_of(owner).post(f"{API}/jobs", {"document": OTHER}), "jobs")
    assert Job.objects.filter(kind=Job.Kind.JOB).count() == 1
    assert job_of(workspace_of(create_user("bob"), "labs"), owner)


def test_versions_of_a_job(quotas: dict[str, int], workspace: Workspace, owner: User) -> None:
    quotas["versions"] = 2
    job = job_of(workspace, owner)
    versions = f"{API}/jobs/{job.pk}/versions"
    edited = DOCUMENT.replace("n: count()", "many: count()")
    assert client_of(owner).post(versions, {"document": edited}).status_code == 201
    assert refused(client_of(owner).post(versions, {"document": DOCUMENT}), "versions")
    assert JobVersion.objects.filter(job=job).count() == 2
    assert create_job(workspace, owner, OTHER)


def test_streams(quotas: dict[str, int], workspace: Workspace, owner: User) -> None:
    quotas["streams"] = 1
    trades(workspace)
    body = {"name": "more", "cluster": HOME, "topic": "trades", "contract": CONTRACT}
    assert refused(client_of(owner).post(f"{API}/streams", body), "streams")


def test_clusters(quotas: dict[str, int], workspace: Workspace, owner: User) -> None:
    quotas["clusters"] = 1
    Cluster.objects.create(id="c1", workspace=workspace, name="far", bootstrap="kafka.example:9092")
    body = {"name": "farther", "bootstrap": "127.0.0.1:9", "security": "PLAINTEXT"}
    assert refused(client_of(owner).post(f"{API}/clusters", body), "clusters")
    assert Cluster.objects.of(workspace).count() == 1


def test_partitions_of_the_home_cluster(quotas: dict[str, int], workspace: Workspace) -> None:
    home = home_cluster()
    far = Cluster.objects.create(id="c1", workspace=workspace, name="far", bootstrap="kafka.example:9092")
    set_owner(home, workspace, "one", 4)
    set_owner(home, workspace, "two", 3)
    require_partitions(home, workspace, 3)
    set_partitions(home, "two", 5)
    require_partitions(home, workspace, 1)
    with pytest.raises(ServiceError, match="1 of them are left"):
        require_partitions(home, workspace, 2)
    require_partitions(far, workspace, 256)
    require_partitions(home, workspace_of(create_user("bob"), "labs"), 10)
    set_owner(home, workspace, "two", 1)  # deleted by other means, and made anew
    require_partitions(home, workspace, 5)
    set_partitions(home, "nobody's", 9)
    assert OwnedTopic.objects.count() == 2


def test_schemas_and_subjects(quotas: dict[str, int], workspace: Workspace, owner: User) -> None:
    def add(subject: str, field: str) -> Any:
        schema = {"type": "record", "name": "R", "fields": [{"name": field, "type": "long"}]}
        return client_of(owner).post(
            f"{REGISTRY}/subjects/{subject}/versions", {"schema": json.dumps(schema)}
        )

    quotas["schemas"], quotas["subjects"] = 1, 2
    assert add("a", "x").status_code == 200
    assert add("b", "x").status_code == 200  # the same schema
    assert add("c", "x").json()["error_code"] == 42210
    assert (
        client_of(owner).put(f"{REGISTRY}/config/c", {"compatibility": "NONE"}).json()["error_code"] == 42210
    )
    assert client_of(owner).put(f"{REGISTRY}/config/a", {"compatibility": "NONE"}).status_code == 200
    answer = add("a", "y")
    assert (answer.status_code, answer.json()["error_code"]) == (422, 42210)
    assert "may have 1 schemas" in answer.json()["message"]
    assert (Schema.objects.count(), Subject.objects.count()) == (1, 2)


def test_subjects_without_versions_and_settings_do_not_count(
    quotas: dict[str, int], workspace: Workspace, owner: User
) -> None:
    """Their names stay, so that no version's number is given twice."""
    client, schema = client_of(owner), {"schema": json.dumps({"type": "long"})}

    def add(subject: str) -> Any:
        return client.post(f"{REGISTRY}/subjects/{subject}/versions", schema)

    quotas["subjects"] = 1
    assert add("a").status_code == 200
    assert client.delete(f"{REGISTRY}/subjects/a").status_code == 200
    assert add("b").json()["error_code"] == 42210, "a is only hidden"
    assert client.delete(f"{REGISTRY}/subjects/a?permanent=true").status_code == 200
    assert client.put(f"{REGISTRY}/mode/c", {"mode": "READWRITE"}).status_code == 200
    assert add("a").json()["error_code"] == 42210
    assert client.delete(f"{REGISTRY}/mode/c").status_code == 200
    assert add("a").status_code == 200
    assert [(subject.name, subject.last_version) for subject in Subject.objects.all()] == [("a", 2)]
    assert client.put(f"{REGISTRY}/config/a", {"compatibility": "NONE"}).status_code == 200
    assert client.delete(f"{REGISTRY}/config/a").status_code == 200
    assert Subject.objects.get().level == ""


def test_a_misspelled_quota_is_an_error_at_the_start(settings: Settings) -> None:
    assert not [found for found in run_checks() if found.id == "weir.E001"]
    settings.QUOTAS = settings.QUOTAS | {"jbos": 5}
    assert ["jbos" in found.msg for found in run_checks() if found.id == "weir.E001"] == [True]


def _json(document: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(document)
    return loaded
