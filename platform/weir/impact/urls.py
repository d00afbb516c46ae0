"""Routes of the registry as people use it, of what changes do to jobs, and of what flows where, relative to a
workspace.
"""

from django.urls import path

from weir.impact.api.map_views import MapView
from weir.impact.api.views import (
    ContractImpactView,
    NewVersionView,
    PolicyView,
    SchemaCheckView,
    SchemaVersionView,
    SubjectPolicyView,
    SubjectsView,
    SubjectView,
)

urlpatterns = [
    path("schemas", SubjectsView.as_view()),
    path("schema-policy", PolicyView.as_view()),
    path("schemas/<str:subject>", SubjectView.as_view()),
    path("schemas/<str:subject>/policy", SubjectPolicyView.as_view()),
    path("schemas/<str:subject>/versions/<int:version>", SchemaVersionView.as_view()),
    path("schemas/<str:subject>/check", SchemaCheckView.as_view()),
    path("schemas/<str:subject>/versions", NewVersionView.as_view()),
    path("streams/<str:name>/impact", ContractImpactView.as_view()),
    path("map", MapView.as_view()),
]
