"""Routes of the registry, relative to ``/registry/<workspace>/``. A subject's name may hold any character but a slash."""

from django.urls import path

from weir.schemas import api, api_policy

urlpatterns = [
    path("", api.RootView.as_view()),
    path("contexts", api.ContextsView.as_view()),
    path("schemas/types", api.TypesView.as_view()),
    path("schemas/ids/<int:schema_id>", api.SchemaView.as_view()),
    path("schemas/ids/<int:schema_id>/schema", api.SchemaTextView.as_view()),
    path("schemas/ids/<int:schema_id>/subjects", api.SchemaSubjectsView.as_view()),
    path("schemas/ids/<int:schema_id>/versions", api.SchemaVersionsView.as_view()),
    path("schemas/guids/<uuid:guid>", api.SchemaGuidView.as_view()),
    path("subjects", api.SubjectsView.as_view()),
    path("subjects/<str:subject>", api.SubjectView.as_view()),
    path("subjects/<str:subject>/metadata", api.MetadataView.as_view()),
    path("subjects/<str:subject>/versions", api.VersionsView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>", api.VersionView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>/schema", api.VersionTextView.as_view()),
    path("subjects/<str:subject>/versions/<str:version>/referencedby", api.ReferencedByView.as_view()),
    path("config", api_policy.ConfigView.as_view()),
    path("config/<str:subject>", api_policy.SubjectConfigView.as_view()),
    path("mode", api_policy.ModeView.as_view()),
    path("mode/<str:subject>", api_policy.SubjectModeView.as_view()),
    path("compatibility/subjects/<str:subject>/versions", api_policy.CompatibilityView.as_view()),
    path("compatibility/subjects/<str:subject>/versions/<str:version>", api_policy.CompatibilityView.as_view()),
]
