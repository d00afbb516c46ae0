"""Routes of guards and dead letters, relative to a workspace."""

from django.urls import path

from weir.guards.api import guards, letters, redrives

urlpatterns = [
    path("streams/<str:name>/guard", guards.GuardView.as_view()),
    path("streams/<str:name>/dead-letters", letters.LettersView.as_view()),
    path("streams/<str:name>/dead-letters/groups", letters.GroupsView.as_view()),
    path("streams/<str:name>/dead-letters/preview", letters.EditPreviewView.as_view()),
    path("streams/<str:name>/dead-letters/drop", letters.DropView.as_view()),
    path("streams/<str:name>/dead-letters/<int:letter_id>", letters.LetterView.as_view()),
    path("streams/<str:name>/redrives", redrives.RedrivesView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>", redrives.RedriveView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>/cancel", redrives.CancelView.as_view()),
]
