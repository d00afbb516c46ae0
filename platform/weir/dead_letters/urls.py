"""Routes of contract validation and dead letters, relative to a workspace."""

from django.urls import path

from weir.dead_letters.api import dead_letters, redrives, validation

urlpatterns = [
    path("streams/<str:name>/validation", validation.ValidationView.as_view()),
    path("streams/<str:name>/dead-letters", dead_letters.DeadLettersView.as_view()),
    path("streams/<str:name>/dead-letters/groups", dead_letters.DeadLetterGroupsView.as_view()),
    path("streams/<str:name>/dead-letters/preview", dead_letters.EditPreviewView.as_view()),
    path("streams/<str:name>/dead-letters/discard", dead_letters.DiscardView.as_view()),
    path("streams/<str:name>/dead-letters/<int:dead_letter_id>", dead_letters.DeadLetterView.as_view()),
    path("streams/<str:name>/redrives", redrives.RedrivesView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>", redrives.RedriveView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>/cancel", redrives.CancelView.as_view()),
]
