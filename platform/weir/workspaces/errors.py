"""Errors of services. The API turns them into problem details (RFC 9457)."""

from collections.abc import Mapping
from typing import Any, Final

from jobs.base.problems import Problem

UNEXPECTED: Final = "Unexpected error. The operator finds it in the log of the workers."
"""What people are told where work in the background ends with an error that is none of these."""


class ServiceError(Exception):
    """A request that cannot be processed.

    Attributes:
        status: the HTTP status that fits.
        code: fixed name, upper case.
        detail: one sentence for the user: what happened and what to do.
        problems: located problems of a document, if the error is about one.
        more: further members of the response.
    """

    status = 422

    def __init__(
        self,
        code: str,
        detail: str,
        problems: tuple[Problem, ...] = (),
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.problems = problems
        self.more = dict(more or {})


class ConflictError(ServiceError):
    """The current state does not allow the request: a name is taken, a stream is in use."""

    status = 409


class NotFoundError(ServiceError):
    """The object does not exist in this workspace, or the user may not see it."""

    status = 404


class BusyError(ServiceError):
    """A person or a workspace asks for more at once than is served at once."""

    status = 429

    def __init__(self, detail: str = "Too many requests at once. Wait for some of them to finish.") -> None:
        super().__init__("TOO_MANY_REQUESTS", detail)


class ForbiddenByKafkaError(ServiceError):
    """The user with which Weir connects to a cluster lacks a right there."""


class UnreachableError(ServiceError):
    """A broker does not answer; the same request may work later."""

    status = 503
