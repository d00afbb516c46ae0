"""A switch is on, off, or an error."""

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from weir.project.switches import switch


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("true", True),
        ("True", True),
        (" on ", True),
        ("1", True),
        ("false", False),
        ("0", False),
        ("", False),
    ],
)
def test_on_and_off(text: str, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_X", text)
    assert switch(environ.Env(), "WEIR_X", default=not found) is found


@pytest.mark.parametrize("default", [True, False])
def test_without_it_the_default_holds(default: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEIR_X", raising=False)
    assert switch(environ.Env(), "WEIR_X", default=default) is default


@pytest.mark.parametrize("text", ["enabled", "tru", "auto", "2"])
def test_another_word_is_an_error_that_says_what_to_do(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_X", text)
    with pytest.raises(ImproperlyConfigured, match=f"WEIR_X is '{text}'. Use true or false."):
        switch(environ.Env(), "WEIR_X", default=True)
    assert switch(environ.Env(), "WEIR_X", default=True, other=(text,)) is False
