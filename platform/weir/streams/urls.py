"""Routes of streams and topics, relative to a workspace."""

from django.urls import path

from weir.streams.api import encodings, inference, records, sample_validation, streams, tables, topics

urlpatterns = [
    path("encodings/fields", encodings.EncodingFieldsView.as_view()),
    path("streams", streams.StreamsView.as_view()),
    path("streams/infer", inference.InferView.as_view()),
    path("streams/validate", sample_validation.SampleValidationView.as_view()),
    path("streams/<str:name>", streams.StreamView.as_view()),
    path("streams/<str:name>/records", records.RecordsView.as_view()),
    path("streams/<str:name>/records/check", records.CheckRecordsView.as_view()),
    path("streams/<str:name>/records/<int:partition>/<int:offset>", records.RecordView.as_view()),
    path("streams/<str:name>/table", tables.TableView.as_view()),
    path("streams/<str:name>/table/row", tables.TableRowView.as_view()),
    path("streams/<str:name>/export", records.ExportView.as_view()),
    path("clusters/<str:cluster>/topics", topics.TopicsView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>", topics.TopicView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>/records", records.TopicRecordsView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>/export", records.TopicExportView.as_view()),
    path("clusters/<str:cluster>/topics/<str:topic>/records/<int:partition>/<int:offset>", records.TopicRecordView.as_view()),
]
