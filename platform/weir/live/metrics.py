"""Prometheus metrics of the live hub of a web process. No label value comes from a user."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

REGISTRY: Final = CollectorRegistry()

CONNECTIONS: Final = Gauge("weir_live_connections", "Open WebSockets", registry=REGISTRY)
SUBSCRIPTIONS: Final = Gauge("weir_live_subscriptions", "Subscriptions", registry=REGISTRY)
TOPICS: Final = Gauge("weir_live_topics", "Result topics that are followed", registry=REGISTRY)
RECENT: Final = Gauge(
    "weir_live_recent_characters", "Encoded changes kept for new readers", registry=REGISTRY
)
CHANGES: Final = Counter("weir_live_changes", "Changes read from result topics", registry=REGISTRY)
FENCED: Final = Counter("weir_live_fenced", "Changes rejected because of a lower epoch", registry=REGISTRY)
FOREIGN: Final = Counter(
    "weir_live_foreign", "Records of result topics that are not results", registry=REGISTRY
)
FRAMES: Final = Counter("weir_live_frames", "Frames sent", registry=REGISTRY)
SENT: Final = Counter("weir_live_sent_characters", "Characters sent", registry=REGISTRY)
CONFLATED: Final = Counter(
    "weir_live_conflated", "Changes conflated before they were sent", registry=REGISTRY
)
GAPS: Final = Counter("weir_live_gaps", "Gaps reported to clients", ["reason"], registry=REGISTRY)
CLOSES: Final = Counter("weir_live_closes", "Connections closed by the server", ["code"], registry=REGISTRY)
REJECTED: Final = Counter("weir_live_rejected_frames", "Frames rejected", ["code"], registry=REGISTRY)
