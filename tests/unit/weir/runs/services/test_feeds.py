"""Feeds of templates: started when one is used, ended when no job uses its streams
any more; the demo's go on.
"""

import pytest
from pytest_django import Settings

from jobs.formats.contract import StreamContract
from weir.clusters.services.clusters import home_cluster
from weir.runs.services.examples import all_examples
from weir.runs.services.feeds import auto_feed_enabled, start_feed, stop_unused_feeds, used_feeds
from weir.streams.models import Stream, StreamUse
from weir.workspaces.models import Workspace

DEMO = ["flights", "stock", "words"]
ASKED: list[tuple[str, bool]] = []


def remember(example_id: str, *, on: bool) -> None:
    ASKED.append((example_id, on))


@pytest.fixture
def feeder(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    settings.EXAMPLE_FEEDER = f"{__name__}.remember"
    ASKED.clear()
    monkeypatch.setattr("weir.runs.services.feeds.import_string", lambda path: remember)
    return ASKED


def use(workspace: Workspace, topic: str) -> StreamUse:
    contract = StreamContract.model_validate({"fields": [{"name": "x", "type": "int"}]}).as_json()
    stream = Stream.objects.create(
        workspace=workspace,
        name=topic,
        cluster=home_cluster(),
        topic=topic,
        topic_id="t",
        partitions=1,
        contract=contract,
    )
    return StreamUse.objects.create(stream=stream, job_id="j", job_name="job")


@pytest.mark.django_db
def test_the_demo_and_what_a_job_uses_are_fed(workspace: Workspace) -> None:
    assert used_feeds() == DEMO
    used = use(workspace, "machine_runs")
    assert used_feeds() == sorted([*DEMO, "sensors"])
    used.delete()
    assert used_feeds() == DEMO


@pytest.mark.django_db
def test_unused_feeds_end(workspace: Workspace, feeder: list[tuple[str, bool]]) -> None:
    use(workspace, "page_hits")
    stop_unused_feeds()
    assert sorted(feeder) == [
        (example, False) for example in ("clicks", "errors", "fraud", "sensors", "unclicked", "weather")
    ]


@pytest.mark.django_db
def test_a_feed_that_is_used_while_it_ends_starts_again(
    workspace: Workspace, feeder: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([DEMO, [*DEMO, "clicks"]])
    monkeypatch.setattr("weir.runs.services.feeds.used_feeds", lambda: next(answers))
    stop_unused_feeds()
    assert feeder[-1] == ("clicks", True)
    assert [on for _, on in feeder].count(True) == 1


def test_a_feed_starts_where_feeds_are_run(feeder: list[tuple[str, bool]]) -> None:
    assert auto_feed_enabled()
    start_feed("fraud")
    assert feeder == [("fraud", True)]


def test_elsewhere_people_start_them(settings: Settings) -> None:
    settings.EXAMPLE_FEEDER = ""
    start_feed("fraud")
    (fraud,) = [example for example in all_examples() if example.id == "fraud"]
    assert not fraud.auto_feed
    assert fraud.feed == "python -m examples.fraud.generator --rate 10"
