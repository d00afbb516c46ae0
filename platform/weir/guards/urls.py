"""Routes of guards and dead letters, relative to a workspace."""

from django.urls import path

from weir.guards import api

urlpatterns = [
    path("streams/<str:name>/guard", api.GuardView.as_view()),
    path("streams/<str:name>/dead-letters", api.LettersView.as_view()),
    path("streams/<str:name>/dead-letters/groups", api.GroupsView.as_view()),
    path("streams/<str:name>/dead-letters/drop", api.DropView.as_view()),
    path("streams/<str:name>/dead-letters/<int:letter_id>", api.LetterView.as_view()),
    path("streams/<str:name>/redrives", api.RedrivesView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>", api.RedriveView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>/cancel", api.CancelView.as_view()),
]
