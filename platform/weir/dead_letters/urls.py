"""Routes of contract validation and dead letters, relative to a workspace."""

from django.urls import path

from weir.dead_letters.api import dead_letter_views, redrive_views, validation_views

urlpatterns = [
    path("streams/<str:name>/validation", validation_views.ValidationView.as_view()),
    path("streams/<str:name>/dead-letters", dead_letter_views.DeadLettersView.as_view()),
    path("streams/<str:name>/dead-letters/groups", dead_letter_views.DeadLetterGroupsView.as_view()),
    path("streams/<str:name>/dead-letters/preview", dead_letter_views.EditPreviewView.as_view()),
    path("streams/<str:name>/dead-letters/discard", dead_letter_views.DiscardView.as_view()),
    path("streams/<str:name>/dead-letters/<int:dead_letter_id>", dead_letter_views.DeadLetterView.as_view()),
    path("streams/<str:name>/redrives", redrive_views.RedrivesView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>", redrive_views.RedriveView.as_view()),
    path("streams/<str:name>/redrives/<str:redrive_id>/cancel", redrive_views.CancelView.as_view()),
]
