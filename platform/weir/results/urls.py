"""Routes of results, relative to a workspace."""

from django.urls import path

from weir.results.api.views import ExportView, ResultsView

urlpatterns = [
    path("jobs/<str:job_id>/results", ResultsView.as_view()),
    path("jobs/<str:job_id>/results/export", ExportView.as_view()),
]
