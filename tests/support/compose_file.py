"""docker-compose.yml and the Dockerfile as what they mean: what each role runs, with which environment."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from weir.embedded.layout import REPOSITORY

_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


@cache
def compose_file() -> dict[str, Any]:
    """The file, with its anchors resolved."""
    found: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    return found


def resolved(text: str, variables: Mapping[str, str]) -> str:
    """A value with the variables of `.env` in it, as Compose reads it.

    Raises:
        KeyError: a variable is needed and not there.
    """

    def value(found: re.Match[str]) -> str:
        name, kind, default = found.groups()
        if kind == "-":
            return variables.get(name) or str(default)
        return variables[name]

    return _VARIABLE.sub(value, text).replace("$$", "$")


def image_command() -> list[str]:
    """What the image runs when a role says nothing else."""
    found: list[str] = json.loads(_arguments("CMD")[-1])
    return found


def image_environment() -> dict[str, str]:
    """What the image itself sets."""
    return dict(pair.split("=", 1) for line in _arguments("ENV") for pair in line.split())


def image_files() -> list[str]:
    """What the image has of the repository, under the same names, beside what it builds and installs."""
    copied = [line.split() for line in _arguments("COPY") if "--from" not in line]
    return [name for *names, target in copied for name in names if target in ("./", name)]


def _arguments(instruction: str) -> list[str]:
    """Of every such instruction of the stage that becomes the image."""
    last = (REPOSITORY / "Dockerfile").read_text().split("\nFROM ")[-1]
    prefix = f"{instruction} "
    return [line.removeprefix(prefix) for line in last.splitlines() if line.startswith(prefix)]
