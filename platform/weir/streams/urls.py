"""Routes of streams and topics, relative to a workspace."""

from django.urls import path

from weir.streams.api.encoding_views import EncodingFieldsView
from weir.streams.api.inference_views import InferView
from weir.streams.api.record_views import (
    CheckRecordsView,
    ExportView,
    RecordsView,
    RecordView,
    TopicExportView,
    TopicRecordsView,
    TopicRecordView,
)
from weir.streams.api.sample_validation_views import SampleValidationView
from weir.streams.api.sample_views import LatenessView, StreamProfileView
from weir.streams.api.stored_sample_views import StoredSampleView
from weir.streams.api.stream_views import StreamsView, StreamView
from weir.streams.api.table_views import TableRowView, TableView
from weir.streams.api.topic_views import TopicsView, TopicView

urlpatterns = [
    path("encodings/fields", EncodingFieldsView.as_view()),
    path("streams", StreamsView.as_view()),
    path("samples/infer", InferView.as_view()),
    path("samples/validate", SampleValidationView.as_view()),
    path("streams/<str:name>", StreamView.as_view()),
    path("streams/<str:name>/records", RecordsView.as_view()),
    path("streams/<str:name>/records/check", CheckRecordsView.as_view()),
    path("streams/<str:name>/records/<int:partition>/<int:offset>", RecordView.as_view()),
    path("streams/<str:name>/profile", StreamProfileView.as_view()),
    path("streams/<str:name>/sample", StoredSampleView.as_view()),
    path("streams/<str:name>/lateness", LatenessView.as_view()),
    path("streams/<str:name>/table", TableView.as_view()),
    path("streams/<str:name>/table/row", TableRowView.as_view()),
    path("streams/<str:name>/export", ExportView.as_view()),
    path("clusters/<str:cluster>/topics", TopicsView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>", TopicView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>/records", TopicRecordsView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>/export", TopicExportView.as_view()),
    path(
        "clusters/<str:cluster>/topics/<str:topic>/records/<int:partition>/<int:offset>",
        TopicRecordView.as_view(),
    ),
]
