"""Routes of alerts, relative to a workspace."""

from django.urls import path

from weir.alerts.api.channel_views import ChannelsView, ChannelTestView, ChannelView
from weir.alerts.api.mark_views import GroupMarksView, JobMarksView
from weir.alerts.api.objective_views import ObjectivesView, ObjectiveView
from weir.alerts.api.rule_views import MetricsView, RuleCheckView, RulesView, RuleView
from weir.alerts.api.views import (
    AcknowledgeView,
    AlertsView,
    AlertView,
    NotificationsView,
    SeenView,
    SilencesView,
    SilenceView,
)

urlpatterns = [
    path("alerts", AlertsView.as_view()),
    path("alerts/seen", SeenView.as_view()),
    path("alerts/<str:alert_id>", AlertView.as_view()),
    path("alerts/<str:alert_id>/acknowledge", AcknowledgeView.as_view()),
    path("alert-metrics", MetricsView.as_view()),
    path("alert-rules", RulesView.as_view()),
    path("alert-rules/check", RuleCheckView.as_view()),
    path("alert-rules/<str:rule_id>", RuleView.as_view()),
    path("alert-channels", ChannelsView.as_view()),
    path("alert-channels/<str:channel_id>", ChannelView.as_view()),
    path("alert-channels/<str:channel_id>/test", ChannelTestView.as_view()),
    path("notifications", NotificationsView.as_view()),
    path("silences", SilencesView.as_view()),
    path("silences/<str:silence_id>", SilenceView.as_view()),
    path("jobs/<str:job_id>/marks", JobMarksView.as_view()),
    path("consumer-group-marks/<str:cluster>/<path:group>", GroupMarksView.as_view()),
    path("objectives", ObjectivesView.as_view()),
    path("objectives/<str:objective_id>", ObjectiveView.as_view()),
]
