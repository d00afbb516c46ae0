"""Routes of the registry as people use it, and of what changes do to jobs, relative to a workspace."""

from django.urls import path

from weir.impact import api

urlpatterns = [
    path("schemas", api.SubjectsView.as_view()),
    path("schema-policy", api.PolicyView.as_view()),
    path("schemas/<str:subject>", api.SubjectView.as_view()),
    path("schemas/<str:subject>/policy", api.SubjectPolicyView.as_view()),
    path("schemas/<str:subject>/versions/<int:version>", api.SchemaVersionView.as_view()),
    path("schemas/<str:subject>/check", api.SchemaCheckView.as_view()),
    path("schemas/<str:subject>/versions", api.NewVersionView.as_view()),
    path("streams/<str:name>/impact", api.ContractImpactView.as_view()),
]
