"""Routes of the diagnosis and of what made a row, relative to a workspace."""

from django.urls import path

from weir.diagnosis.api.views import DiagnosisView, RowInputsView

urlpatterns = [
    path("jobs/<str:job_id>/diagnosis", DiagnosisView.as_view()),
    path("jobs/<str:job_id>/row-inputs", RowInputsView.as_view()),
]
