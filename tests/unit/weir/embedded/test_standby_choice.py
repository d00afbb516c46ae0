"""A standby engine is kept where two engines fit into memory, unless the machine's owner says otherwise."""

from types import SimpleNamespace

import psutil
import pytest

from weir.embedded.standby_choice import standby_choice

GIB = 1024**3


@pytest.mark.parametrize(("available_gib", "keeps"), [(16, True), (6, True), (5, False), (2, False)])
def test_memory_decides(available_gib: int, keeps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEIR_STANDBY", raising=False)
    monkeypatch.delenv("WEIR_ENGINE_MEMORY_MB", raising=False)
    _set_available(monkeypatch, available_gib)
    choice = standby_choice()
    assert choice.keeps is keeps
    assert choice.reason == f"{available_gib:.1f} GiB of memory available, 5.8 GiB needed"


def test_larger_engines_need_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_ENGINE_MEMORY_MB", "8192")
    _set_available(monkeypatch, 16)
    assert not standby_choice().keeps


@pytest.mark.parametrize(("asked", "keeps"), [("true", True), ("false", False)])
def test_the_setting_overrides_memory(asked: str, keeps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_STANDBY", asked)
    _set_available(monkeypatch, 2 if keeps else 64)
    assert standby_choice() == (keeps, f"WEIR_STANDBY is {asked}")


def _set_available(monkeypatch: pytest.MonkeyPatch, gib: int) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=gib * GIB))
