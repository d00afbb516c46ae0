"""Routes of jobs, relative to a workspace."""

from django.urls import path

from weir.runs.api import document_views, drawing_views, engine_views, job_views
from weir.runs.api.authoring_views import UseExampleView
from weir.runs.api.overview_views import OverviewView

urlpatterns = [
    path("overview", OverviewView.as_view()),
    path("documents/check", document_views.CheckView.as_view()),
    path("documents/script", document_views.ScriptView.as_view()),
    path("documents/sql", document_views.SqlView.as_view()),
    path("documents/to-sql", document_views.SqlTextView.as_view()),
    path("documents/forecast", document_views.ForecastView.as_view()),
    path("documents/measured-load", document_views.MeasuredLoadView.as_view()),
    path("jobs", job_views.JobsView.as_view()),
    path("jobs/<str:job_id>", job_views.JobView.as_view()),
    path("jobs/<str:job_id>/versions", document_views.VersionsView.as_view()),
    path("jobs/<str:job_id>/versions/<int:version>", document_views.VersionView.as_view()),
    path("jobs/<str:job_id>/diff", document_views.DiffView.as_view()),
    path("jobs/<str:job_id>/drawing", drawing_views.DrawingView.as_view()),
    path("jobs/<str:job_id>/start", job_views.StartView.as_view()),
    path("jobs/<str:job_id>/stop", job_views.StopView.as_view()),
    path("jobs/<str:job_id>/runs", job_views.RunsView.as_view()),
    path("engines", engine_views.EnginesView.as_view()),
    path("engines/<str:engine_id>/replace", engine_views.ReplaceEngineView.as_view()),
    path("examples/<str:example_id>", UseExampleView.as_view()),
]
