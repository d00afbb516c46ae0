"""Topics without traffic, for starts without a broker."""

from types import SimpleNamespace

import pytest

from weir.runs.services import planning


def quiet_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every topic that a start looks at has no records a second."""
    monkeypatch.setattr(
        planning,
        "fetch_traffic",
        lambda _, topics: dict.fromkeys(topics, SimpleNamespace(rate_per_second=0.0)),
    )
