"""Checks that the tools Weir needs are on the machine, before anything is installed.

Runs on the system's Python, so it avoids syntax newer than 3.7. Standard library only.
"""

from __future__ import annotations

import importlib
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple


class Tool(NamedTuple):
    """A required program: `version` is the minimum (major, minor), `get` tells how to install it."""

    name: str
    command: tuple[str, ...]
    version: tuple[int, int]
    get: str


TOOLS = (
    Tool(
        "JDK",
        ("javac", "-version"),
        (17, 0),
        "apt install openjdk-17-jdk-headless, brew install openjdk@17, or adoptium.net",
    ),
    Tool("Java", ("java", "-version"), (17, 0), "the JDK has it; its folder bin belongs first in PATH"),
    Tool("Node.js", ("node", "--version"), (20, 19), "nodejs.org, or nvm install 20"),
    Tool("npm", ("npm", "--version"), (9, 0), "it comes with Node.js: nodejs.org"),
    Tool("make", ("make", "--version"), (3, 81), "apt install make, or xcode-select --install"),
)
PYTHON = Tool(
    "Python",
    (),
    (3, 11),
    "python.org, apt install python3.11, or brew install python@3.11; then: make run PYTHON=python3.11",
)


# A Python that was compiled without a library's headers lacks its module.
MODULES = ("ctypes", "sqlite3", "ssl", "zlib")


def missing_modules(names: tuple[str, ...] = MODULES) -> list[str]:
    """One line for each module that this Python lacks."""
    return [
        "Python at {} has no module {}. Use another one: make run PYTHON=...".format(sys.executable, name)  # noqa: UP032
        for name in names
        if not _is_there(name)
    ]


def _is_there(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def java_of_engines(java_home: str) -> tuple[Tool, ...]:
    """What Spark takes for Java before any in PATH.

    Args:
        java_home: the variable of that name; empty without it.
    """
    command = (os.path.join(java_home, "bin", "java"), "-version")
    get = "unset JAVA_HOME, or set it to a JDK of this version"
    return (Tool("Java at JAVA_HOME", command, (17, 0), get),) if java_home else ()


def problems(tools: tuple[Tool, ...] = TOOLS, python: tuple[int, int] = sys.version_info[:2]) -> list[str]:
    """One line for each tool that is missing or too old.

    Args:
        tools: the required tools.
        python: the running Python's (major, minor).
    """
    found = []
    if python < PYTHON.version:
        found.append(_line(PYTHON, platform.python_version() + " at " + sys.executable))
    with ThreadPoolExecutor() as pool:  # each program takes its tenths of a second
        versions = list(pool.map(lambda tool: (tool, version_of(tool.command)), tools))
    for tool, version in versions:
        if version is None:
            found.append(_line(tool, "none"))
        elif version < tool.version:
            found.append(_line(tool, ".".join(str(part) for part in version)))
    return found


def version_of(command: tuple[str, ...]) -> tuple[int, int] | None:
    """A program's (major, minor) as it prints it; None when it is missing or prints no version."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    # Java's line about JAVA_TOOL_OPTIONS may contain digits.
    output = re.sub(r"(?m)^Picked up .*$", "", done.stdout.decode(errors="replace"))
    match = re.search(r"(\d+)(?:\.(\d+))?", output)
    if done.returncode != 0 or match is None:
        return None
    return int(match.group(1)), int(match.group(2) or 0)


def _line(tool: Tool, found: str) -> str:
    required = ".".join(str(part) for part in tool.version)
    return "{} {} or newer is needed, found: {}. Get it: {}".format(tool.name, required, found, tool.get)  # noqa: UP032


def main() -> None:
    """The command line: prints what is missing and exits with 1, or prints nothing."""
    missing = problems(TOOLS + java_of_engines(os.environ.get("JAVA_HOME", ""))) + missing_modules()
    for line in missing:
        print(line, file=sys.stderr)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
