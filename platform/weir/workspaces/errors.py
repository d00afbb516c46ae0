"""What a verb says when it cannot do what was asked. The API turns it into problem details (RFC 9457)."""

from collections.abc import Mapping
from typing import Any

from jobs.base.problems import Problem


class ServiceError(Exception):
    """A request that cannot be done as it stands.

    Attributes:
        status: the HTTP status that fits.
        code: fixed name, upper case.
        detail: one sentence for a person: what happened and what to do.
        problems: located findings about a document, if it is about one.
        more: further members of the answer, in the form of the API.
    """

    status = 422

    def __init__(self, code: str, detail: str, problems: tuple[Problem, ...] = (), more: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.problems = problems
        self.more = dict(more or {})


class ConflictError(ServiceError):
    """The present state of things is in the way: a name is taken, a stream is in use."""

    status = 409


class NotFoundError(ServiceError):
    """No such thing in this workspace, or none that the asker may see."""

    status = 404


class UnreachableError(ServiceError):
    """A broker does not answer; the same request may work later."""

    status = 503
