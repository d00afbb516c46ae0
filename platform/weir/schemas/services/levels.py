"""Compatibility levels: the versions with which a new one is compared, and in which direction."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from weir.schemas.services.avro_compatibility import avro_differences
from weir.schemas.services.differences import Difference
from weir.schemas.services.json_compatibility import json_differences
from weir.schemas.services.parsing import ParsedSchema

T = TypeVar("T")

LEVELS: Final = (
    "NONE",
    "BACKWARD",
    "BACKWARD_TRANSITIVE",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
)
MAX_CPU_S: Final = 10.0  # processor time of this thread, for all versions that a level compares


@dataclass(frozen=True)
class Conflict:
    """A difference with the version it was found against; `backward`: the new schema cannot
    read that version's data.
    """

    version: int
    backward: bool
    difference: Difference

    @property
    def text(self) -> str:
        """One line."""
        side = "BACKWARD" if self.backward else "FORWARD"
        return self.difference.text(f"{side} with version {self.version}:")

    def as_json(self) -> dict[str, object]:
        """For our own page and API."""
        found = self.difference
        return {
            "version": self.version,
            "direction": "backward" if self.backward else "forward",
            "rule": found.rule,
            "path": found.path,
            "message": found.message,
            "allowed": found.allowed,
        }


def compared(before: list[T], level: str) -> list[T]:
    """Those of the versions before that a level compares with a new one.

    Args:
        before: oldest first.
        level: one of `LEVELS`.
    """
    if level == "NONE":
        return []
    return before if level.endswith("_TRANSITIVE") else before[-1:]


def conflicts(new: ParsedSchema, before: Iterable[tuple[int, ParsedSchema]], level: str) -> list[Conflict]:
    """Why a new schema is incompatible with earlier versions.

    Args:
        new: the schema.
        before: version numbers and schemas of those that the level compares, oldest first. Each is taken when
            it is compared, so that parsing them counts, too.
        level: one of `LEVELS`. BACKWARD: the new schema reads the data of the versions
            before; FORWARD: they read its.
    """
    found: list[Conflict] = []
    until = time.thread_time() + MAX_CPU_S
    for version, old in before:
        if time.thread_time() > until:
            message = "The earlier versions are too many or too large to compare."
            allowed = "Allowed: a level that compares only the latest version."
            return [
                *found,
                Conflict(
                    version, not level.startswith("FORWARD"), Difference("NOT_COMPARED", "", message, allowed)
                ),
            ]
        if level.startswith(("BACKWARD", "FULL")):
            found += [Conflict(version, True, difference) for difference in differences(new, old)]
        if level.startswith(("FORWARD", "FULL")):
            found += [Conflict(version, False, difference) for difference in differences(old, new)]
    return found


def differences(reader: ParsedSchema, writer: ParsedSchema) -> list[Difference]:
    """Why one schema cannot read another's data."""
    if reader.kind != writer.kind:
        message = f"{writer.kind} can't be read as {reader.kind}."
        return [
            Difference(
                "KIND_CHANGED",
                "",
                message,
                "Allowed: the same schema type. Use another subject for another type.",
            )
        ]
    if reader.kind == "AVRO":
        return avro_differences(reader.tree, writer.tree)
    return json_differences(reader.tree, writer.tree)
