"""All routes. Those of a workspace are below ``/api/v1/workspaces/<slug>/``; unknown
paths serve the frontend.
"""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, URLResolver, include, path, re_path

from weir.dashboards.api.shared_views import SharedDashboardView, SharedTicketView
from weir.project import pages
from weir.project.metrics_page import metrics_page
from weir.project.openapi_view import openapi_document
from weir.runs.api.authoring_views import DocumentSchemaView, ExamplesView, FunctionsView
from weir.workspaces.api.invitation_views import MyInvitationView
from weir.workspaces.api.session_views import SessionView, sign_in_by_link
from weir.workspaces.api.token_views import TokensView, TokenView

_WORKSPACE_APPS: Final = (
    "workspaces",
    "clusters",
    "streams",
    "runs",
    "dead_letters",
    "results",
    "lag",
    "run_logs",
    "consumer_groups",
    "job_tests",
    "impact",
    "diagnosis",
    "preview",
    "dashboards",
    "monitoring",
    "alerts",
    "openlineage",
)


def _unknown(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001 - Django's signature
    raise Http404


api_patterns: list[URLPattern | URLResolver] = [
    path("session", SessionView.as_view()),
    path("tokens", TokensView.as_view()),
    path("tokens/<str:token_id>", TokenView.as_view()),
    path("invitations/<int:invitation_id>", MyInvitationView.as_view()),
    path("functions", FunctionsView.as_view()),
    path("examples", ExamplesView.as_view()),
    path("document-schema", DocumentSchemaView.as_view()),
    path("schema", openapi_document),
    path("shared-dashboard", SharedDashboardView.as_view()),
    path("shared-dashboard/live-ticket", SharedTicketView.as_view()),
    *(path("workspaces/<slug:slug>/", include(f"weir.{app}.urls")) for app in _WORKSPACE_APPS),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include(api_patterns)),
    path("registry/<slug:slug>/", include("weir.schemas.urls")),
    path("sign-in/<str:token>/", sign_in_by_link),
    path("healthz", pages.healthz),
    path("readyz", pages.readyz),
    path("metrics", metrics_page),
    re_path(r"^(?:api|registry|ws|static|metrics)(?:/|$)", _unknown),
    re_path(r"^(?P<page>.*)$", pages.application),
]

handler400 = "weir.project.problem_details.bad_request"
handler404 = "weir.project.problem_details.not_found"
handler500 = "weir.project.problem_details.server_error"
