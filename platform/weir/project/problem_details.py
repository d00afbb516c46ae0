"""Errors of the API as RFC 9457 problem details."""

import logging
import sys
from itertools import islice
from typing import Any, Final

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from weir.workspaces.errors import ServiceError
from weir.workspaces.services.uniqueness import refers_to_gone_row

_LOG: Final = logging.getLogger(__name__)
_RETRY_AFTER_S: Final = 5
_MOST_ERRORS: Final = 100  # of one list or object, in an answer
_NOT_STORABLE: Final = (
    "A value can't be stored: a text with a NUL character or too long, or a number out of range."
)
CONTENT_TYPE: Final = "application/problem+json"
_TITLES: Final = {
    400: "Bad request",
    401: "Not signed in",
    403: "Permission denied",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid request",
    429: "Too many requests",
    500: "Internal error",
    503: "Temporarily unavailable",
}


def details(status: int, detail: str, **more: Any) -> dict[str, Any]:
    """The body of a problem: ``type``, ``title``, ``status``, ``detail`` and what else is given."""
    return {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        **more,
    }


def problem_details(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every error leaves as problem details; None lets an unknown
    error become a logged 500.
    """
    if isinstance(error, ServiceError):
        found = {"problems": [problem.as_json() for problem in error.problems]} if error.problems else {}
        return _answer(
            error.status, details(error.status, error.detail, code=error.code, **found, **error.more)
        )
    if isinstance(error, OperationalError | InterfaceError):
        _LOG.warning("the database: %s", error)
        return _answer(503, _database_away(), headers={"Retry-After": str(_RETRY_AFTER_S)})
    if _is_gone(error):
        _LOG.warning("what was changed was deleted meanwhile", exc_info=error)
        return _answer(404, _not_there())
    if isinstance(error, DataError):
        # SQLite stores what PostgreSQL refuses, so not all of it is refused before.
        _LOG.warning("a value that the database doesn't take", exc_info=error)
        return _answer(400, details(400, _NOT_STORABLE, code="INVALID"))
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        body = details(
            response.status_code,
            _first_sentence(error.detail),
            code="INVALID",
            errors=_first_errors(error.detail),
        )
    elif isinstance(error, Http404 | exceptions.NotFound):
        body = _not_there()
    elif isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        body = details(403, str(error) or "Your role doesn't allow this.", code="NOT_ALLOWED")
    else:
        detail = response.data.get("detail", "") if isinstance(response.data, dict) else ""
        code = getattr(error, "default_code", "error")
        body = details(response.status_code, str(detail), code=str(code).upper())
    return _answer(response.status_code, body, headers=dict(response.headers))


def _is_gone(error: Exception) -> bool:
    """True where a row was deleted between its look-up and its change: the services look up first, and do not
    ask again before each statement.
    """
    if isinstance(error, IntegrityError):
        return refers_to_gone_row(error)
    is_unchanged = type(error) is DatabaseError and "did not affect any rows" in str(error)
    return is_unchanged or isinstance(error, ObjectDoesNotExist)


def _not_there() -> dict[str, Any]:
    return details(404, "Not found, or you don't have access.", code="NOT_FOUND")


def _database_away() -> dict[str, Any]:
    return details(
        503,
        "The database doesn't answer or is too busy. Running jobs go on. Try again in a few seconds.",
        code="DATABASE_AWAY",
    )


def _answer(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    kept = {
        name: value
        for name, value in (headers or {}).items()
        if name in ("WWW-Authenticate", "Retry-After", "Allow")
    }
    return Response(body, status=status, headers=kept, content_type=CONTENT_TYPE)


def _first_sentence(detail: Any) -> str:
    """``field: message`` of the first error found, so that a client that shows one line
    shows a useful one.
    """
    if isinstance(detail, dict) and detail:
        name, inner = next(iter(detail.items()))
        sentence = _first_sentence(inner)
        return sentence if name == "non_field_errors" else f"{name}: {sentence}"
    if isinstance(detail, list) and detail:
        return _first_sentence(detail[0])
    return str(detail)


def _first_errors(detail: Any) -> Any:
    """The errors, of each list or object the first: who sends a million wrong items needs not all of them."""
    if isinstance(detail, dict):
        return {name: _first_errors(inner) for name, inner in islice(detail.items(), _MOST_ERRORS)}
    if isinstance(detail, list):
        return [_first_errors(inner) for inner in detail[:_MOST_ERRORS]]
    return detail


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Django's own CSRF page, as problem details."""
    body = details(403, "CSRF token missing or invalid. Reload the page and try again.", code="CSRF")
    return JsonResponse(body, status=403, content_type=CONTENT_TYPE)


def not_found(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Django's own 404 page, as problem details."""
    return JsonResponse(
        details(404, "Page not found.", code="NOT_FOUND"), status=404, content_type=CONTENT_TYPE
    )


def server_error(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Django's own 500 page, as problem details; the traceback is in the log."""
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        headers = {"Retry-After": str(_RETRY_AFTER_S)}
        return JsonResponse(_database_away(), status=503, content_type=CONTENT_TYPE, headers=headers)
    return JsonResponse(
        details(500, "Internal error. Check the server log.", code="INTERNAL"),
        status=500,
        content_type=CONTENT_TYPE,
    )


def bad_request(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Django's own 400 page, as problem details."""
    return JsonResponse(
        details(400, "The request can't be parsed.", code="BAD_REQUEST"),
        status=400,
        content_type=CONTENT_TYPE,
    )
