"""Routes of lag, relative to a workspace."""

from django.urls import path

from weir.lag import api

urlpatterns = [
    path("jobs/<str:job_id>/lag", api.LagView.as_view()),
    path("jobs/<str:job_id>/lag/history", api.HistoryView.as_view()),
]
