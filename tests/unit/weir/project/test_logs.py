"""Log lines hold no secrets and no control characters."""

import pytest

from weir.project.logs import HIDDEN, without_secrets


@pytest.mark.parametrize("key", ["password", "api_token", "sasl_jaas", "Authorization", "ticket"])
def test_values_under_secret_names_are_hidden(key: str) -> None:
    assert without_secrets(None, "info", {key: "planted"}) == {key: HIDDEN}


@pytest.mark.parametrize(
    "text",
    ["redis://:planted@host:1/0", "password=planted", "sasl.jaas.config = planted", "weir_" + "a1" * 30],
)
def test_secret_texts_are_hidden(text: str) -> None:
    shown = without_secrets(None, "info", {"event": f"before {text} after"})["event"]
    assert "planted" not in shown
    assert "a1a1" not in shown
    assert HIDDEN in shown


def test_control_characters_are_encoded() -> None:
    assert without_secrets(None, "info", {"event": "a\rb\x1b[31m"})["event"] == "a\\x0db\\x1b[31m"
