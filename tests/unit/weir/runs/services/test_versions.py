"""Jobs and versions: what is refused, what an edit would do."""

import pytest

from jobs.document import JobDocument
from tests.support.run_factories import DOCUMENT, job_of, trades
from tests.support.users import client_of, create_user, member, workspace_of
from weir.runs.api import document_views
from weir.runs.models import Job, JobVersion
from weir.runs.services import versions
from weir.runs.services.job_diff import JobDiff, diff_job
from weir.runs.services.planning import plan_in, written_topics
from weir.runs.services.versions import add_version, create_job
from weir.streams.models import StreamUse
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
JOBS = "/api/v1/workspaces/ops/jobs"


def test_a_job_begins_with_its_first_version(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    version = JobVersion.objects.get(job=job)
    assert (version.number, version.document["name"], version.mode) == (1, "stats", "realtime")
    assert version.result["identity"] == ["window_start", "window_end", "symbol"]
    assert StreamUse.objects.get().job_name == "stats"


def test_all_problems_come_at_once(owner: User, workspace: Workspace) -> None:
    trades(workspace)
    text = DOCUMENT.replace("min(price)", "min(prize)").replace("[symbol]", "[simbol]")
    answer = client_of(owner).post(JOBS, {"document": text})
    assert (answer.status_code, answer.json()["code"]) == (422, "DOCUMENT_INVALID")
    assert {found["code"] for found in answer.json()["problems"]} == {"FIELD_UNKNOWN"}
    assert len(answer.json()["problems"]) == 2
    assert Job.objects.count() == 0


@pytest.mark.parametrize(
    "name", ["<b>x</b>", "../etc", "a/b", "a\\nb", '"a\\u0000"', "1st", "-", '" a"', "é"]
)
def test_names_have_a_small_alphabet(owner: User, workspace: Workspace, name: str) -> None:
    trades(workspace)
    with pytest.raises(ServiceError) as refused:
        create_job(workspace, owner, DOCUMENT.replace("name: stats", f"name: {name}"))
    assert refused.value.problems


def test_a_name_is_taken_once_per_workspace(owner: User, workspace: Workspace) -> None:
    job_of(workspace, owner)
    with pytest.raises(ConflictError, match="stats"):
        create_job(workspace, owner, DOCUMENT)
    other = workspace_of(create_user("bob"), "other")
    assert job_of(other, owner).name == "stats"


def test_streams_of_another_workspace_do_not_exist(owner: User, workspace: Workspace) -> None:
    trades(workspace_of(create_user("bob"), "other"))
    with pytest.raises(ServiceError) as refused:
        create_job(workspace, owner, DOCUMENT)
    assert [found.code for found in refused.value.problems]


@pytest.mark.parametrize(
    ("before", "after", "outcome", "breaks"),
    [
        ("", "", "no_change", []),
        ("size: 5s", "size: 10s", "new_generation", [True]),
        ("low: min(price)", "low: max(price)", "same_state", [False]),
        ("[symbol]", "[nothing]", "invalid", []),
    ],
)
def test_what_an_edit_would_do_is_told_before(
    owner: User, workspace: Workspace, before: str, after: str, outcome: str, breaks: list[bool]
) -> None:
    job = job_of(workspace, owner)
    answer = (
        client_of(owner)
        .post(f"{JOBS}/{job.id}/diff", {"document": DOCUMENT.replace(before, after) if before else DOCUMENT})
        .json()
    )
    assert answer["outcome"] == outcome
    assert [change["breaks_state"] for change in answer["changes"]] == breaks
    assert bool(answer["problems"]) == (outcome == "invalid")


def test_an_edit_that_does_not_do_what_was_expected_is_refused(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    with pytest.raises(ConflictError) as refused:
        add_version(job, owner, DOCUMENT.replace("size: 5s", "size: 10s"), expected="same_state")
    assert refused.value.code == "NEW_GENERATION_NEEDED"
    with pytest.raises(ConflictError):
        add_version(job, owner, DOCUMENT, expected="new_generation")
    assert JobVersion.objects.count() == 1


def test_versions_are_added_and_never_changed(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    add_version(job, owner, DOCUMENT.replace("size: 5s", "size: 10s"), note="longer")
    rows = client_of(owner).get(f"{JOBS}/{job.id}/versions").json()["results"]
    assert [(row["number"], row["note"], row["created_by"]) for row in rows] == [
        (2, "longer", "ann"),
        (1, "", "ann"),
    ]
    assert rows[0]["changes"][0]["breaks_state"]
    assert rows[1]["document_text"] == DOCUMENT


def test_a_page_has_fewer_versions_where_documents_are_long(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty of a megabyte each took half a gigabyte."""
    monkeypatch.setattr(document_views, "MAX_LISTED_CHARACTERS", 3 * len(LONGER))
    job = job_of(workspace, owner)
    for document in (LONGER, DOCUMENT) * 3:
        add_version(job, owner, document)
    route, pages = f"{JOBS}/{job.id}/versions", []
    while route:
        page = client_of(owner).get(route).json()
        pages.append([row["number"] for row in page["results"]])
        route = page["next"]
    assert pages == [[7, 6, 5], [4, 3, 2], [1]]


LONGER = DOCUMENT.replace("size: 5s", "size: 10s")


def test_a_version_written_from_an_older_one_is_refused(owner: User, workspace: Workspace) -> None:
    """Who was faster keeps the version; the other one hears of it, and goes on from it."""
    job = job_of(workspace, owner)
    bob = client_of(member(workspace, "bob", Role.EDITOR))
    route = f"{JOBS}/{job.id}/versions"
    assert bob.post(route, {"document": LONGER, "base": 1}).status_code == 201
    mine = {"document": DOCUMENT.replace("low: min(price)", "low: max(price)"), "base": 1}
    late = client_of(owner).post(route, mine)
    assert late.status_code == 409
    told = late.json()
    assert (told["code"], told["version"], told["saved_by"]) == ("VERSION_OUTDATED", 2, "bob")
    assert "Version 2 was saved meanwhile by bob" in told["detail"]
    assert JobVersion.objects.filter(job=job).count() == 2
    assert client_of(owner).post(route, {**mine, "base": 2}).json()["number"] == 3


def test_a_version_without_a_base_is_saved_on_the_newest(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    add_version(job, owner, LONGER)
    assert client_of(owner).post(f"{JOBS}/{job.id}/versions", {"document": DOCUMENT}).status_code == 201


def test_a_version_saved_while_another_is_planned_is_not_overwritten(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planning takes seconds without the lock; the comparison holds only for the version it was made with."""
    job = job_of(workspace, owner)

    def slow(job: Job, document: str, base: int | None = None) -> JobDiff:
        planned = diff_job(job, document, base)
        monkeypatch.undo()
        add_version(Job.objects.get(pk=job.pk), owner, LONGER)
        return planned

    monkeypatch.setattr(versions, "diff_job", slow)
    with pytest.raises(ConflictError) as refused:
        add_version(job, owner, DOCUMENT.replace("low: min(price)", "low: max(price)"))
    assert refused.value.code == "VERSION_OUTDATED"
    assert JobVersion.objects.filter(job=job).count() == 2


def test_the_view_in_which_a_job_was_made_is_everybodys(owner: User, workspace: Workspace) -> None:
    trades(workspace)
    ann, bob = client_of(owner), client_of(member(workspace, "bob", Role.EDITOR))
    job = ann.post(JOBS, {"document": DOCUMENT, "view": "drawing"}).json()
    assert bob.get(f"{JOBS}/{job['id']}").json()["edited_in"] == "drawing"
    bob.post(f"{JOBS}/{job['id']}/versions", {"document": LONGER, "view": "sql"})
    assert ann.get(f"{JOBS}/{job['id']}").json()["edited_in"] == "sql"
    ann.post(f"{JOBS}/{job['id']}/versions", {"document": DOCUMENT})
    assert ann.get(f"{JOBS}/{job['id']}").json()["edited_in"] == "sql"
    other = DOCUMENT.replace("name: stats", "name: other")
    assert ann.post(JOBS, {"document": other}).json()["edited_in"] == ""
    assert ann.post(JOBS, {"document": other, "view": "tomorrow's"}).status_code == 400


def test_one_version_is_read_by_its_number(owner: User, workspace: Workspace) -> None:
    job = job_of(workspace, owner)
    add_version(job, owner, LONGER)
    client = client_of(owner)
    first = client.get(f"{JOBS}/{job.id}/versions/1").json()
    assert (first["number"], first["created_by"], first["document_text"]) == (1, "ann", DOCUMENT)
    assert client.get(f"{JOBS}/{job.id}/versions/3").status_code == 404


def test_a_check_is_always_an_answer(owner: User, workspace: Workspace) -> None:
    for text in ("", "[", "format: 1", "a: &x [*x]", DOCUMENT, "x" * 1_050_000):
        answer = client_of(owner).post("/api/v1/workspaces/ops/documents/check", {"document": text})
        assert answer.status_code == 200, text[:20]
        assert answer.json()["problems"]


def with_topic(topic: str) -> str:
    return DOCUMENT.replace("outputs:", f"outputs:\n  copy: {{input: trades, to: {{topic: {topic}}}}}")


def test_a_check_says_what_is_kept_and_where_columns_come_from(owner: User, workspace: Workspace) -> None:
    trades(workspace)
    answer = client_of(owner).post("/api/v1/workspaces/ops/documents/check", {"document": DOCUMENT}).json()
    states = {node["name"]: node["state"]["bound"] for node in answer["nodes"]}
    assert set(states.values()) == {"none", "bounded"}
    assert answer["lineage"]["live"]["symbol"] == ["trades.symbol"]
    load = {
        "document": DOCUMENT,
        "rates": {"trades": 100},
        "key_counts": {name: 10 for name, bound in states.items() if bound != "none"},
    }
    (found,) = (
        client_of(owner)
        .post("/api/v1/workspaces/ops/documents/forecast", load, format="json")
        .json()["steps"]
    )
    assert (found["bound"], found["rows"] > 0, found["bytes"] > found["rows"]) == ("bounded", True, True)


def test_a_job_is_a_script_or_says_why_not(owner: User, workspace: Workspace) -> None:
    trades(workspace)
    route = "/api/v1/workspaces/ops/documents/script"
    answer = client_of(owner).post(route, {"document": DOCUMENT}).json()
    assert bool(answer["script"]) != bool(answer["refusals"])
    broken = client_of(owner).post(route, {"document": "nonsense"}).json()
    assert broken == {"script": "", "refusals": ["The document has errors."]}


def test_an_output_goes_to_a_stream_of_the_home_cluster(owner: User, workspace: Workspace) -> None:
    trades(workspace)
    copies = trades(workspace, name="copies", topic="market.copies")
    job = create_job(workspace, owner, with_topic("copies"))
    assert written_topics(
        workspace, JobDocument.model_validate(JobVersion.objects.get(job=job).document)
    ) == {"copy": "market.copies"}
    assert StreamUse.objects.filter(stream=copies).count() == 1
    assert plan_in(workspace, with_topic("market.copies")).ok


@pytest.mark.parametrize("topic", ["trades", "missing", "weir.runs", "theirs"])
def test_other_topics_are_refused_where_they_stand(owner: User, workspace: Workspace, topic: str) -> None:
    trades(workspace)
    trades(workspace_of(create_user("bob"), "other"), name="theirs", topic="theirs")
    plan = plan_in(workspace, with_topic(topic))
    assert [(found.code, found.path) for found in plan.problems if found.severity == "error"] == [
        ("PARAMETER_RANGE", ("outputs", "copy", "to", "topic"))
    ]
