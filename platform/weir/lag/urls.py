"""Routes of lag, relative to a workspace."""

from django.urls import path

from weir.lag.api.views import HistoryView, LagView

urlpatterns = [
    path("jobs/<str:job_id>/lag", LagView.as_view()),
    path("jobs/<str:job_id>/lag/history", HistoryView.as_view()),
]
