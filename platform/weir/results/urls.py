"""Routes of results, relative to a workspace."""

from django.urls import path

from weir.results import api

urlpatterns = [
    path("jobs/<str:job_id>/results", api.ResultsView.as_view()),
    path("jobs/<str:job_id>/results/export", api.ExportView.as_view()),
]
