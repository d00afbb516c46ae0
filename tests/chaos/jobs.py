"""A job of the running system as a test sees it: through REST alone."""

from dataclasses import dataclass
from typing import Any

import requests

from tests.chaos.load import CONTRACT, Answer, Load, document
from tests.support.processes import wait_until
from tests.support.rest import Answer as Refusal
from tests.support.rest import Rest

START_SECONDS = 240
LIFE_SECONDS = 240


@dataclass
class Job:
    """A job by its id."""

    rest: Rest
    id: str

    def start(self, begin: str = "earliest") -> None:
        """Start and wait until it runs."""
        self.rest.post(f"jobs/{self.id}/start", {"from": begin})
        self.await_state("running", START_SECONDS)

    def state(self) -> dict[str, Any]:
        """What the API says of it now; ``observed`` is ``no answer`` while nobody answers."""
        try:
            return dict(self.rest.get(f"jobs/{self.id}"))
        except (requests.ConnectionError, requests.Timeout, Refusal) as error:
            return {"observed": "no answer", "why": str(error)}

    def await_state(self, expected: str, seconds: float) -> dict[str, Any]:
        """Wait for an observed state; the job as it then is."""
        seen: dict[str, Any] = {}

        def there() -> bool:
            seen.update(self.state())
            return bool(seen["observed"] == expected)

        try:
            wait_until(there, seconds, f"{self.id} is {expected}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {seen}") from None
        return seen

    def content(self) -> Answer:
        """All results, by window start and key; empty while nobody answers."""
        found: Answer = {}
        after = None
        while True:
            try:
                page = self.rest.get(
                    f"jobs/{self.id}/results", limit=1000, **({"after": after} if after else {})
                )
            except (requests.ConnectionError, requests.Timeout, Refusal):
                return {}
            for row in page["rows"]:
                value = row["value"]
                found[value["window_start"], value["k"]] = {
                    name: value[name] for name in ("n", "total", "least", "greatest")
                }
            after = page.get("next")
            if not after:
                return found

    def counted(self) -> int:
        """How many records all windows together hold."""
        return sum(measures["n"] for measures in self.content().values())

    def executions(self) -> list[dict[str, Any]]:
        """Every epoch of every run, as the run history shows them."""
        return list(self.rest.get(f"jobs/{self.id}/runs")["results"])


def await_rows(job: Job, load: Load, seconds: float = LIFE_SECONDS) -> None:
    """Readers see records that were sent after this call."""
    sent = len(load.sent)
    try:
        wait_until(lambda: job.counted() > sent, seconds, "records sent now are counted")
    except AssertionError as error:
        raise AssertionError(
            f"{error}: {sent} were sent, {job.counted()} are counted; {job.state()}"
        ) from None


def await_life(jobs: list[Job], load: Load, seconds: float = LIFE_SECONDS) -> None:
    """Everything runs by itself: every job runs, and readers see records that were sent after this call."""
    for job in jobs:
        await_rows(job, load, seconds)
        job.await_state("running", seconds)


def register(rest: Rest, name: str) -> None:
    """A stream over a new topic of the same name with two partitions."""
    body = {
        "name": name,
        "description": "",
        "topic": name,
        "create": {"partitions": 2, "retention_ms": None},
        "contract": CONTRACT,
    }
    rest.post("streams", body)


def create(rest: Rest, name: str, stream: str, mode: str, engine: str = "shared") -> Job:
    """A job over a stream."""
    return Job(rest, rest.post("jobs", {"document": document(name, stream, mode, engine)})["id"])


def one_in_each_mode(rest: Rest, stream: str) -> list[Job]:
    """Two jobs over a stream, which is registered: in real-time mode and in micro-batches."""
    register(rest, stream)
    return [
        create(rest, "in-real-time", stream, "realtime"),
        create(rest, "in-batches", stream, "microbatch"),
    ]


def assert_exact(job: Job, expected: Answer, seconds: float) -> None:
    """Wait until the results are the answer, window by window: nothing lost, nothing doubled."""
    latest: Answer = {}

    def equal() -> bool:
        latest.clear()
        latest.update(job.content())
        return latest == expected

    try:
        wait_until(equal, seconds, "every window is exact")
    except AssertionError:
        keys = expected.keys() | latest.keys()
        wrong = {
            key: (expected.get(key), latest.get(key)) for key in keys if expected.get(key) != latest.get(key)
        }
        missing = sum(measures["n"] for measures in expected.values()) - sum(
            measures["n"] for measures in latest.values()
        )
        shown = "\n".join(
            f"  {key}: expected {pair[0]}, is {pair[1]}" for key, pair in sorted(wrong.items())[:12]
        )
        said = f"{len(wrong)} of {len(expected)} windows differ, {missing} records are missing:\n{shown}"
        said += f"\n{job.state()}"
        raise AssertionError(said) from None
