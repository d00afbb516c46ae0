"""Errors of the registry: Confluent's codes, whose first three digits are the HTTP status."""

from typing import Any


class RegistryError(Exception):
    """An error response.

    Attributes:
        code: Confluent's error code.
        message: one sentence.
        more: further members of the response.
    """

    def __init__(self, code: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.more = more

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(str(self.code)[:3])


def no_subject(name: str) -> RegistryError:
    """40401."""
    return RegistryError(40401, f"Subject '{name[:255]}' not found.")


def no_version(version: object) -> RegistryError:
    """40402."""
    return RegistryError(40402, f"Version {version} not found.")


def no_schema() -> RegistryError:
    """40403."""
    return RegistryError(40403, "Schema not found.")
