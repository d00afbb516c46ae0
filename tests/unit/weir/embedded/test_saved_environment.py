"""Another shell reaches the running system with all of its settings."""

import re
from pathlib import Path

import pytest

from weir.embedded.layout import REPOSITORY, read_layout
from weir.embedded.programs import environment
from weir.embedded.saved_environment import save, saved

READ = re.findall(
    r"""(?:env\.\w+|_database)\(\s*"(\w+)\"""", (REPOSITORY / "platform/weir/project/settings.py").read_text()
)


@pytest.mark.parametrize("name", sorted({*READ, "WEIR_ENGINE_ENVIRONMENT"} - {"WEIR_DATA_DIR"}))
def test_every_setting_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    given = "false" if name == "WEIR_STANDBY" else "9"
    monkeypatch.setenv(name, given)
    save(tmp_path, environment(read_layout({"WEIR_DATA_DIR": str(tmp_path)})))
    assert saved(tmp_path)[name] == given


def test_what_is_no_setting_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "theirs")
    monkeypatch.setenv("WEIR_NOTE", "two\nlines")
    found = environment(read_layout({"WEIR_DATA_DIR": str(tmp_path)}))
    assert not {"AWS_SECRET_ACCESS_KEY", "WEIR_NOTE"} & set(found)
