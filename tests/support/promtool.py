"""Prometheus' own tool, which checks and plays the rules of deploy/prometheus: the system's, or one that is
taken out of Debian's package first, without installing it, as that would start a server.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

KEPT: Final = Path(__file__).parents[2] / ".venv" / "promtool" / "promtool"
INSTALL_LINE: Final = "make promtool, apt install prometheus, or brew install prometheus"
_SECONDS: Final = 300


def find_promtool() -> str | None:
    """The path of a promtool on this machine; None when there is none."""
    return shutil.which("promtool") or (str(KEPT) if KEPT.exists() else None)


def install_promtool() -> None:
    """Take it out of Debian's package, where there are such packages; any user may."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        if not _download(folder):
            if os.geteuid() == 0:
                _run(["apt-get", "update", "-q"], folder)
            _download(folder)
        for package in Path(folder).glob("prometheus_*.deb"):
            _run(["dpkg-deb", "--extract", str(package), folder], folder)
        found = Path(folder) / "usr" / "bin" / "promtool"
        if found.exists():
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(found, KEPT)


def _download(folder: str) -> bool:
    return _run(["apt-get", "download", "-q", "prometheus"], folder)


def _run(command: list[str], folder: str) -> bool:
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: no answer", file=sys.stderr)
        return False
    return done.returncode == 0


def main() -> None:
    """Find promtool or get it; without one, say how to get it and exit with 1."""
    if find_promtool() is None:
        install_promtool()
    found = find_promtool()
    if found is None:
        sys.exit(f"Tests of alert rules need promtool, and none was found. Get it: {INSTALL_LINE}")
    print(f"Tests of alert rules use {found}")


if __name__ == "__main__":
    main()
