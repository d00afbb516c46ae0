"""Routes of tests of jobs, relative to a workspace."""

from django.urls import path

from weir.job_tests.api import document_views, views

urlpatterns = [
    path("documents/test-check", document_views.DocumentTestCheckView.as_view()),
    path("documents/test-runs", document_views.DocumentTestsView.as_view()),
    path("documents/test-runs/<str:test_run_id>", document_views.DocumentTestRunView.as_view()),
    path("jobs/<str:job_id>/tests", views.JobTestsView.as_view()),
    path("jobs/<str:job_id>/tests/<str:test_id>", views.JobTestView.as_view()),
    path("jobs/<str:job_id>/test-check", views.TestCheckView.as_view()),
    path("jobs/<str:job_id>/test-drafts", views.TestDraftsView.as_view()),
    path("jobs/<str:job_id>/test-report", views.JUnitView.as_view()),
    path("jobs/<str:job_id>/test-runs", views.TestRunsView.as_view()),
    path("jobs/<str:job_id>/test-runs/<str:test_run_id>", views.TestRunView.as_view()),
]
