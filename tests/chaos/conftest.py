"""Fixtures of the fault tests."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.support.rest import Rest
from tests.support.system import System


@pytest.fixture
def rest(system: System) -> Rest:
    """A signed-in client of a workspace of its own."""
    return system.rest("faults", f"faults-{uuid4().hex[:6]}")


@pytest.fixture
def stream_name() -> str:
    """A name that no other test uses, for a stream and its topic."""
    return f"events_{uuid4().hex[:8]}"


@pytest.fixture(autouse=True)
def logs(system: System, request: pytest.FixtureRequest) -> Iterator[None]:
    """On failure the ends of all logs are part of the report."""
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed > failed:
        print(system.tails())
