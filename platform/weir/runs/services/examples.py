"""The examples of `examples/`: a document, its streams, and the program that feeds them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from django.conf import settings

from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Desired, Job
from weir.runs.services.feeds import auto_feed_enabled, read_feed, start_feed
from weir.runs.services.versions import create_job
from weir.runs.signals import example_used
from weir.streams.models import Stream
from weir.streams.services.contracts import read_contract
from weir.streams.services.new_topics import SharedTopic, make_shared_topics
from weir.streams.services.streams import register_stream
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import User, Workspace

_ID: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")


@dataclass(frozen=True)
class Example:
    """An example.

    Attributes:
        id: name of its folder.
        title: of its README.
        summary: first paragraph of its README.
        document_text: the job document.
        streams: what it reads and writes: name, topic, partitions, config of the topic, contract.
        feed: the command that sends the records.
        auto_feed: the feed starts when the example is used.
        demo: it is part of the demo workspace.
    """

    id: str
    title: str
    summary: str
    document_text: str
    streams: tuple[dict[str, Any], ...]
    feed: str
    auto_feed: bool
    demo: bool


def all_examples() -> list[Example]:
    """All examples, by id."""
    return list(_examples_in(Path(settings.EXAMPLES_DIR)))


@cache
def _examples_in(folder: Path) -> tuple[Example, ...]:
    return tuple(_read(file.parent) for file in sorted(folder.glob("*/document.yaml")))


def use_example(workspace: Workspace, actor: User, example_id: str) -> Job:
    """Register the example's streams (missing topics are created), create its job with its
    tests, start its feed; existing ones are kept.

    Raises:
        NotFoundError: no such example.
        ConflictError: a topic of the example's name exists, and no example made it.
        UnreachableError: the cluster does not answer, or the feed cannot be started.
    """
    folder = Path(settings.EXAMPLES_DIR) / example_id
    if not _ID.fullmatch(example_id) or not (folder / "document.yaml").is_file():
        raise NotFoundError("NOT_FOUND", "Unknown example.")
    example = _read(folder)
    home = home_cluster()
    known = set(Stream.objects.of(workspace).values_list("name", flat=True))
    missing = [stream for stream in example.streams if stream["name"] not in known]
    make_shared_topics(home, [_topic(stream) for stream in missing])
    for stream in missing:
        register_stream(
            workspace,
            actor,
            name=stream["name"],
            cluster=home,
            topic=stream["topic"],
            contract=stream["contract"],
            description=stream["description"],
            shared=True,
        )
    name = yaml.safe_load(example.document_text)["name"]
    job = Job.objects.of(workspace).filter(name=name).exclude(desired=Desired.DELETED).first()
    if job is None:
        # Nobody has seen its text yet: the form asks for no knowledge of it.
        job = create_job(workspace, actor, example.document_text, view=Job.View.FORM)
        example_used.send(sender=Job, job=job, actor=actor, tests=read_tests(folder))
    start_feed(example.id)
    return job


def read_tests(folder: Path) -> list[str]:
    """The documents of an example's tests, in the order of their files' names.

    Args:
        folder: of the example.
    """
    return [file.read_text(encoding="utf-8") for file in sorted((folder / "tests").glob("*.yaml"))]


def _topic(stream: dict[str, Any]) -> SharedTopic:
    contract = read_contract(stream["contract"])
    return SharedTopic(stream["topic"], stream["partitions"], stream.get("config", {}), contract)


def _read(folder: Path) -> Example:
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else f"# {folder.name}"
    title, _, rest = text.partition("\n")
    summary = rest.strip().split("\n\n")[0].replace("\n", " ")
    streams = yaml.safe_load((folder / "streams.yaml").read_text(encoding="utf-8"))
    document = (folder / "document.yaml").read_text(encoding="utf-8")
    feed = read_feed(folder)
    command = " ".join(["python", "-m", feed["module"], *feed["arguments"]])
    title = title.lstrip("# ").strip()
    return Example(
        folder.name,
        title,
        summary,
        document,
        tuple(streams),
        command,
        auto_feed_enabled(),
        feed.get("demo", False),
    )
