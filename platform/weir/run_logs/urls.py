"""Routes of logs, relative to a workspace."""

from django.urls import path

from weir.run_logs.api.views import LogView

urlpatterns = [path("jobs/<str:job_id>/logs", LogView.as_view())]
