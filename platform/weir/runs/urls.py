"""Routes of jobs, relative to a workspace."""

from django.urls import path

from weir.runs.api import authoring, documents, jobs, overview

urlpatterns = [
    path("overview", overview.OverviewView.as_view()),
    path("documents/check", documents.CheckView.as_view()),
    path("documents/script", documents.ScriptView.as_view()),
    path("documents/forecast", documents.ForecastView.as_view()),
    path("jobs", jobs.JobsView.as_view()),
    path("jobs/<str:job_id>", jobs.JobView.as_view()),
    path("jobs/<str:job_id>/versions", documents.VersionsView.as_view()),
    path("jobs/<str:job_id>/diff", documents.DiffView.as_view()),
    path("jobs/<str:job_id>/start", jobs.StartView.as_view()),
    path("jobs/<str:job_id>/stop", jobs.StopView.as_view()),
    path("jobs/<str:job_id>/runs", jobs.RunsView.as_view()),
    path("engines", jobs.EnginesView.as_view()),
    path("examples/<str:example_id>", authoring.UseExampleView.as_view()),
]
