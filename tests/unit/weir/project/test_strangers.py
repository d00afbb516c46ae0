"""Every route that hangs on a workspace: a stranger gets 404 and learns nothing, nobody gets
401, a viewer cannot write.
"""

import re
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

from tests.support.users import client_of, create_user, member
from weir.workspaces.models import Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.django_db(databases=["default", "results"])
PREFIX = "api/v1/workspaces/<slug:slug>/"
# Writes that change nothing, or only one's own: viewers may.
FOR_VIEWERS = {
    ("post", "alert-rules/check"),
    ("put", "alerts/seen"),
    ("post", "documents/check"),
    ("post", "documents/script"),
    ("post", "documents/sql"),
    ("post", "documents/to-sql"),
    ("post", "documents/test-check"),
    ("post", "documents/forecast"),
    ("post", "documents/measured-load"),
    ("post", "encodings/fields"),
    ("post", "jobs/<str:job_id>/diff"),
    ("post", "jobs/<str:job_id>/row-inputs"),
    ("post", "jobs/<str:job_id>/test-check"),
    ("post", "live-ticket"),
    ("post", "schemas/<str:subject>/check"),
    ("post", "streams/<str:name>/impact"),
}


def _routes(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, object]]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.callback


def all_views() -> list[type[APIView]]:
    """Every class of a view that DRF serves."""
    found = {view.cls for _, view in _routes(get_resolver()) if hasattr(view, "cls")}
    return sorted(found, key=lambda view: (view.__module__, view.__name__))


def _calls() -> list[tuple[str, str]]:
    found = []
    for route, view in _routes(get_resolver()):
        if route.startswith(PREFIX):
            methods = [name for name in ("get", "post", "put", "patch", "delete") if hasattr(view.cls, name)]  # type: ignore[attr-defined]
            found += [(method, route.removeprefix(PREFIX)) for method in methods]
    return sorted(found)


CALLS = _calls()


def _path(slug: str, route: str) -> str:
    return f"/api/v1/workspaces/{slug}/" + re.sub(
        r"<int:\w+>", "1", re.sub(r"<(?:str|slug|path):\w+>", "x1", route)
    )


def test_there_are_routes() -> None:
    assert len(CALLS) > 25


# A person takes longer to make than a route to be asked: each of these asks all of its routes.
def test_a_stranger_sees_nothing(workspace: Workspace, subtests: pytest.Subtests) -> None:
    client = client_of(create_user("eve"))
    for method, route in CALLS:
        with subtests.test(method=method, route=route):
            foreign = getattr(client, method)(_path(workspace.slug, route))
            missing = getattr(client, method)(_path("no-such-place", route))
            assert foreign.status_code == missing.status_code == 404
            assert foreign.content == missing.content


def test_nobody_is_asked_to_sign_in(workspace: Workspace, subtests: pytest.Subtests) -> None:
    client = client_of()
    for method, route in CALLS:
        with subtests.test(method=method, route=route):
            answer = getattr(client, method)(_path(workspace.slug, route))
            assert answer.status_code == 401
            assert answer["Content-Type"] == "application/problem+json"


def test_a_viewer_cannot_write(workspace: Workspace, subtests: pytest.Subtests) -> None:
    client = client_of(member(workspace, "vic", Role.VIEWER))
    for method, route in (call for call in CALLS if call[0] != "get" and call not in FOR_VIEWERS):
        with subtests.test(method=method, route=route):
            answer = getattr(client, method)(_path(workspace.slug, route))
            assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")
