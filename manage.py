#!/usr/bin/env python
"""Django's command line, for a system that `make run` started or one given by the environment."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

ROOT = Path(__file__).resolve().parent


def main() -> None:
    """Run a command with the embedded system's addresses, where none are set."""
    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weir.project.settings")
    # Variables of the embedded system, such as Valkey's password; the environment takes precedence.
    written = Path(os.environ.get("WEIR_DATA_DIR", str(ROOT / "var"))) / "environment"
    if written.exists():
        for line in written.read_text().splitlines():
            name, _, value = line.partition("=")
            os.environ.setdefault(name, value)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
