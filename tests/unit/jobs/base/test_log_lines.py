"""Log lines are JSON with the ids that are known, without secrets and control characters."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from jobs.base.log_format import VARIABLE
from jobs.base.log_lines import HIDDEN, log_configuration, without_secrets
from jobs.base.log_text import readable

log = logging.getLogger("of.this.test")


@pytest.mark.parametrize("key", ["password", "api_token", "sasl_jaas", "Authorization", "ticket"])
def test_values_under_secret_names_are_hidden(key: str) -> None:
    assert without_secrets(None, "info", {key: "planted"}) == {key: HIDDEN}


@pytest.mark.parametrize(
    "text",
    ["redis://:planted@host:1/0", "password=planted", "sasl.jaas.config = planted", "weir_" + "a1" * 30],
)
def test_secret_texts_are_hidden(text: str) -> None:
    shown = without_secrets(None, "info", {"message": f"before {text} after"})["message"]
    assert "planted" not in shown
    assert "a1a1" not in shown
    assert HIDDEN in shown


def test_control_characters_are_encoded() -> None:
    assert without_secrets(None, "info", {"message": "a\rb\x1b[31m"})["message"] == "a\\x0db\\x1b[31m"


class Written(io.StringIO):
    """What a logger with our format wrote."""

    def events(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Written]:
    monkeypatch.setenv(VARIABLE, "json")
    options = dict(log_configuration(lambda: "engine", engine="shared-1")["formatters"]["lines"])
    stream = Written()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(options.pop("()")(**options))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield stream
    log.removeHandler(handler)


def test_a_line_is_json_with_the_ids_of_its_context(written: Written) -> None:
    with structlog.contextvars.bound_contextvars(run="j.1", job="j", workspace="demo"):
        log.warning("%s records are waiting\nsecond line", 12)
    log.info("after")
    first, second = written.events()
    assert list(first)[:4] == ["time", "level", "logger", "message"]
    assert str(first.pop("time")).endswith("Z")
    assert first == {
        "level": "warning",
        "logger": "of.this.test",
        "message": "12 records are waiting\nsecond line",
        "process": "engine",
        "engine": "shared-1",
        "run": "j.1",
        "job": "j",
        "workspace": "demo",
    }
    assert "run" not in second


def test_an_exception_is_a_field(written: Written) -> None:
    log.error("it broke", exc_info=ValueError("password=planted"))
    (event,) = written.events()
    assert event["exception"] == f"ValueError: {HIDDEN}"
    assert readable(written.getvalue().strip()).splitlines()[1:] == [f"ValueError: {HIDDEN}"]
