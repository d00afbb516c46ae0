"""Two workers that set up one generation, and a job that is deleted while its generation is set up."""

from types import SimpleNamespace

import pytest

from tests.support.run_factories import job_of, running
from weir.runs.models import Generation
from weir.runs.services import generation_setup
from weir.runs.services.generation_setup import prepare_generation
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])


@pytest.fixture
def generation(workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch) -> Generation:
    """One without topics, beside a broker that makes them."""
    made = SimpleNamespace(topic_id="of Kafka")
    monkeypatch.setattr(generation_setup, "start_topic_creation", lambda *_: lambda: made)
    monkeypatch.setattr(generation_setup, "create_topic", lambda *_: made)
    found = running(job_of(workspace, owner), state="starting").generation
    Generation.objects.filter(pk=found.pk).update(
        topics_ready=False, result_topic_id="", exchange_topic="weir.exchange.x"
    )
    found.refresh_from_db()
    return found


def test_what_the_first_worker_found_holds(generation: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one's scan had no time: epochs would mark windows differently."""
    other = Generation.objects.get(pk=generation.pk)
    monkeypatch.setattr(generation_setup, "partial_before_us", lambda _: 7)
    prepare_generation(generation)
    monkeypatch.setattr(generation_setup, "partial_before_us", lambda _: None)
    prepare_generation(other)
    assert (other.partial_before_us, other.topics_ready) == (7, True)
    assert (other.result_topic_id, other.exchange_topic_id) == ("of Kafka", "of Kafka")


def test_windows_are_marked_where_only_another_output_has_them(
    generation: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation_setup, "partial_before_us", lambda _: 7)
    other = Generation.objects.get(pk=generation.pk)
    plain = {**generation.result, "windowed": False}
    generation.result = {**plain, "windowed_outputs": True}
    prepare_generation(generation)
    assert generation.partial_before_us == 7
    Generation.objects.update(topics_ready=False, partial_before_us=None)
    other.result = {**plain, "windowed_outputs": False}
    prepare_generation(other)
    assert other.partial_before_us is None


def test_topics_of_a_job_that_is_deleted_meanwhile_are_deleted(
    generation: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted: list[str] = []

    def scan(found: Generation) -> None:
        found.job.delete()

    monkeypatch.setattr(generation_setup, "partial_before_us", scan)
    monkeypatch.setattr(generation_setup, "delete_topics", lambda _, names: deleted.extend(names))
    prepare_generation(generation)
    assert deleted == [generation.result_topic, "weir.exchange.x"]


@pytest.mark.parametrize(("kind", "cleanup"), [("row", "delete"), ("key", None)])
def test_a_topic_that_was_compacted_although_no_row_comes_again_is_not_any_more(
    generation: Generation, monkeypatch: pytest.MonkeyPatch, kind: str, cleanup: str | None
) -> None:
    """As those of older versions of Weir behind deduplicate."""
    result = {**generation.result, "identity_kind": kind}
    Generation.objects.filter(pk=generation.pk).update(
        topics_ready=True, result=result, retention_ms=5, topic_retention_ms=5
    )
    generation.refresh_from_db()
    changes: list[tuple[object, ...]] = []
    monkeypatch.setattr(generation_setup, "change_topic_settings", lambda *given: changes.append(given[2:]))
    prepare_generation(generation)
    assert changes == [(5, cleanup, None)]
    generation.refresh_from_db()
    assert generation.topic_retention_ms is None
