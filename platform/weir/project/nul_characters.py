"""Refuses addresses and cookies with a NUL character, which PostgreSQL takes in no text: looked up there, one
would be an error of ours.
"""

from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest, HttpResponseBase, JsonResponse

from weir.project.problem_details import CONTENT_TYPE, details

_ADDRESS: Final = "An address can't contain a NUL character (%00). Remove it."
_COOKIE: Final = "A cookie can't contain a NUL character. Remove it."


class NulCharacterMiddleware:
    """Answers 400 where a cookie has one, or path or query of a request to the API or the registry."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, or why there is none."""
        is_ours = request.path.startswith(("/api/", "/registry/"))
        if is_ours and ("\x00" in request.path or "%00" in request.META.get("QUERY_STRING", "")):
            return _refused(_ADDRESS)
        if has_nul(request.COOKIES):
            return _refused(_COOKIE)
        return self.get_response(request)


def has_nul(cookies: Mapping[str, str]) -> bool:
    """Whether a cookie has a NUL character: a quoted one may spell it out (``\\000``)."""
    return any("\x00" in value for value in cookies.values())


def _refused(detail: str) -> HttpResponseBase:
    return JsonResponse(details(400, detail, code="INVALID"), status=400, content_type=CONTENT_TYPE)
