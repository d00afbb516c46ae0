"""Key files are made once and belong to one person."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from weir.project.keys import key_from_file


def test_many_at_once_get_the_same_key(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "django.key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: key_from_file(file), range(32)))
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["django.key"]


def test_an_empty_file_is_no_key(tmp_path: Path) -> None:
    file = tmp_path / "metrics.token"
    file.write_text("\n")
    with pytest.raises(ImproperlyConfigured, match=str(file)):
        key_from_file(file)
