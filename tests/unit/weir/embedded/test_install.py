"""The frontend is built when a source is newer than the build that came to its end."""

import hashlib
import os
from pathlib import Path

import pytest

from weir.embedded import install
from weir.embedded.commands import CommandError, Commands


class Vite(Commands):
    """Builds as vite does: the page may be there although the build failed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.dist, self.fails, self.builds = folder / "dist", False, 0

    def run(self, command: list[str], folder: Path = Path(), variables: dict[str, str] | None = None) -> str:
        assert "vite" in command
        self.builds += 1
        self.dist.mkdir(exist_ok=True)
        for each in self.dist.iterdir():
            each.unlink()
        (self.dist / "index.html").touch()
        if self.fails:
            raise CommandError("no space left on device")
        return ""


@pytest.fixture
def vite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vite:
    monkeypatch.setattr(install, "FRONTEND", tmp_path)
    monkeypatch.setattr(install, "BUILT", tmp_path / "dist" / ".built")
    for name in ("src", "public", "node_modules"):
        (tmp_path / name).mkdir()
    for name in ("package.json", "package-lock.json", "src/app.tsx"):
        (tmp_path / name).touch()
    lock = hashlib.sha256((tmp_path / "package-lock.json").read_bytes()).hexdigest()
    (tmp_path / "node_modules" / ".weir-installed").write_text(lock)
    return Vite(tmp_path)


def test_it_is_built_once(vite: Vite) -> None:
    for _ in range(2):
        install.frontend(vite)
    assert vite.builds == 1


def test_a_build_that_failed_is_done_again(vite: Vite) -> None:
    vite.fails = True
    with pytest.raises(CommandError):
        install.frontend(vite)
    vite.fails = False
    install.frontend(vite)
    assert vite.builds == 2


def test_a_newer_source_is_built(vite: Vite, tmp_path: Path) -> None:
    install.frontend(vite)
    later = install.BUILT.stat().st_mtime + 1
    os.utime(tmp_path / "src" / "app.tsx", (later, later))
    install.frontend(vite)
    assert vite.builds == 2
