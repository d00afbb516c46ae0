"""pip's configuration is translated for uv; pip installs where that is not possible."""

import hashlib
import sys
import venv
from pathlib import Path

import pytest

from weir.embedded.commands import Commands
from weir.embedded.layout import REPOSITORY, Layout, read_layout
from weir.embedded.python_packages import CONSTRAINTS, install_packages, uv_options

REQUIREMENTS = "requirements.txt"


class Recorded(Commands):
    """Runs what asks, and only notes what would install."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def run(
        self, command: list[str], folder: Path = REPOSITORY, variables: dict[str, str] | None = None
    ) -> str:
        if "import pip" in command:
            return super().run(command, folder, variables)
        self.noted.append(" ".join(command))
        return ""


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """With a virtual environment of its own, for which packages were installed."""
    folder = tmp_path / ".venv"
    folder.mkdir()
    monkeypatch.setattr(Layout, "venv", folder)
    digest = hashlib.sha256((REPOSITORY / REQUIREMENTS).read_bytes() + CONSTRAINTS.read_bytes())
    (folder / f"{REQUIREMENTS}.installed").write_text(digest.hexdigest())
    return read_layout({})


def test_installed_packages_are_not_installed_again(layout: Layout) -> None:
    commands = Recorded()
    venv.create(layout.venv, with_pip=False, symlinks=True)
    (packages,) = layout.venv.glob("lib/python3*/site-packages")
    (packages / "pip.py").touch()
    install_packages(layout, REQUIREMENTS, commands)
    assert commands.noted == []


@pytest.mark.parametrize("is_there", [True, False])
def test_an_environment_that_was_broken_off_is_made_again(layout: Layout, is_there: bool) -> None:
    """Ctrl-C, or a Python without ensurepip, leaves one without pip; a Python that is gone, a dead link."""
    commands = Recorded()
    venv.create(layout.venv, with_pip=False, symlinks=True)
    if not is_there:
        layout.python.unlink()
        layout.python.symlink_to("/nowhere/python")
    install_packages(layout, REQUIREMENTS, commands)
    assert commands.noted[0] == f"{sys.executable} -m venv --clear {layout.venv}"
    assert any(f"-r {REQUIREMENTS}" in each for each in commands.noted)


@pytest.mark.parametrize(
    ("configured", "options"),
    [
        ("", []),
        (
            "global.index-url='https://mirror.invalid/simple'\n",
            ["--default-index", "https://mirror.invalid/simple"],
        ),
        (
            "global.extra-index-url='https://a.invalid/simple https://b.invalid/simple'\n",
            ["--index", "https://a.invalid/simple", "--index", "https://b.invalid/simple"],
        ),
        (
            ":env:.find-links='/wheels'\n:env:.default-timeout='180'\nglobal.find-links='/other'\n",
            ["--find-links", "/wheels"],
        ),
        ("download.index-url='https://other.invalid/simple'\n", []),
    ],
)
def test_settings_of_pip_are_options_of_uv(configured: str, options: list[str]) -> None:
    assert uv_options(configured) == (options, {})


def test_certificates_go_into_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert uv_options("global.cert='/etc/certificates.crt'\n") == (
        [],
        {"SSL_CERT_FILE": "/etc/certificates.crt"},
    )


@pytest.mark.parametrize(
    "setting",
    ["no-index='true'", "proxy='http://proxy.invalid'", "client-cert='/c.pem'", "trusted-host='a.invalid'"],
)
def test_settings_without_an_equivalent_in_uv_are_left_to_pip(setting: str) -> None:
    assert uv_options(f"global.{setting}\n") is None
