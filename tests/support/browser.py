"""The Chromium that browser tests drive: the system's own, or one that is installed first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATHS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
INSTALL_LINE = "apt install chromium, brew install --cask chromium, or .venv/bin/playwright install chromium"
# As root Chromium refuses its sandbox; the rest keeps it from calling out.
ARGUMENTS = (
    *(("--no-sandbox",) if os.geteuid() == 0 else ()),
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)


def find_browser() -> str | None:
    """The path of a Chromium on this machine; None when there is none."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    for path in [*PATHS, *sorted(_playwright_folder().glob("chromium-*/chrome-*/chrome"), reverse=True)]:
        if path.exists():
            return str(path)
    return None


def install_browser() -> None:
    """Try the package manager (as root on Debian), then Playwright's own download."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _try(["apt-get", "update", "-q"])
        _try(["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"])
    if find_browser() is None:
        _try([sys.executable, "-m", "playwright", "install", "chromium"])


def _playwright_folder() -> Path:
    default = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ms-playwright"
    return Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", default))


def _try(command: list[str]) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: no answer", file=sys.stderr)


def main() -> None:
    """Find a browser or install one; without one, say how to get it and exit with 1."""
    if find_browser() is None:
        install_browser()
    found = find_browser()
    if found is None:
        sys.exit(f"Browser tests need Chromium, and none was found. Install it: {INSTALL_LINE}")
    print(f"Browser tests use {found}")


if __name__ == "__main__":
    main()
