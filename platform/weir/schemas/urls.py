"""Routes of the registry, relative to ``/registry/<workspace>/``. A subject's name may hold
any character but a slash.
"""

from django.urls import path

from weir.schemas.api import policy_views
from weir.schemas.api.schema_views import (
    ContextsView,
    RootView,
    SchemaGuidView,
    SchemaSubjectsView,
    SchemasView,
    SchemaTextView,
    SchemaVersionsView,
    SchemaView,
    TypesView,
)
from weir.schemas.api.subject_views import (
    MetadataView,
    ReferencedByView,
    SubjectsView,
    SubjectView,
    VersionsView,
    VersionTextView,
    VersionView,
)

urlpatterns = [
    path("", RootView.as_view()),
    path("contexts", ContextsView.as_view()),
    path("schemas", SchemasView.as_view()),
    path("schemas/types", TypesView.as_view()),
    path("schemas/ids/<int:schema_id>", SchemaView.as_view()),
    path("schemas/ids/<int:schema_id>/schema", SchemaTextView.as_view()),
    path("schemas/ids/<int:schema_id>/subjects", SchemaSubjectsView.as_view()),
    path("schemas/ids/<int:schema_id>/versions", SchemaVersionsView.as_view()),
    path("schemas/guids/<uuid:guid>", SchemaGuidView.as_view()),
    path("subjects", SubjectsView.as_view()),
    path("subjects/<str:subject>", SubjectView.as_view()),
    path("subjects/<str:subject>/metadata", MetadataView.as_view()),
    path("subjects/<str:subject>/versions", VersionsView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>", VersionView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>/schema", VersionTextView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>/referencedby", ReferencedByView.as_view()),
    path("config", policy_views.ConfigView.as_view()),
    path("config/<str:subject>", policy_views.SubjectConfigView.as_view()),
    path("mode", policy_views.ModeView.as_view()),
    path("mode/<str:subject>", policy_views.SubjectModeView.as_view()),
    path("compatibility/subjects/<str:subject>/versions", policy_views.CompatibilityView.as_view()),
    path(
        "compatibility/subjects/<str:subject>/versions/<str:version>",
        policy_views.CompatibilityView.as_view(),
    ),
]
