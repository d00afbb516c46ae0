"""Routes of the diagnosis, relative to a workspace."""

from django.urls import path

from weir.diagnosis.api.views import DiagnosisView

urlpatterns = [path("jobs/<str:job_id>/diagnosis", DiagnosisView.as_view())]
