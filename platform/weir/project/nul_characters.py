"""Refuses addresses with a NUL character, which PostgreSQL takes in no text: looked up there, one would be an
error of ours.
"""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase, JsonResponse

from weir.project.problem_details import CONTENT_TYPE, details

_DETAIL: Final = "An address can't contain a NUL character (%00). Remove it."


class NulCharacterMiddleware:
    """Answers 400 where the path or the query of a request to the API or the registry has one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, or why there is none."""
        is_ours = request.path.startswith(("/api/", "/registry/"))
        if is_ours and ("\x00" in request.path or "%00" in request.META.get("QUERY_STRING", "")):
            return JsonResponse(details(400, _DETAIL, code="INVALID"), status=400, content_type=CONTENT_TYPE)
        return self.get_response(request)
