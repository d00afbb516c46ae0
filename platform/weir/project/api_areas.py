"""The areas of the API, which are the tags of the OpenAPI document. Settings import this, so
nothing of Django is here.
"""

import re
from typing import Final

_TAGS: Final[dict[str, str]] = {
    "session": "Browser sign-in: the current user and the workspaces that they can open.",
    "tokens": "Your API tokens, for programs.",
    "reference": (
        "What a job document can contain: its JSON Schema, the functions of expressions, the examples."
    ),
    "overview": "A workspace at a glance.",
    "map": "What flows where in a workspace: topics, streams, tables and jobs.",
    "members": "Members of a workspace and their roles.",
    "audit trail": "Who did what in a workspace, when, and from where.",
    "jobs": "Job documents: check, create, start, stop, versions and history.",
    "tests": "Tests of a job: given records, expected rows; run on Spark.",
    "results": "The result rows of a job.",
    "lag": "Consumer lag of a job, now and over time, and what happened to it.",
    "logs": "What engines log about the runs of a job.",
    "consumer groups": "Consumer groups of all clusters: lag, health, history, moving offsets.",
    "engines": "Spark applications that run jobs.",
    "streams": "Kafka topics with a contract, read as streams or tables: register, infer, browse, produce.",
    "tables": "A table's current row per key.",
    "dead letters": "Contract validation, dead letters, and redrives.",
    "topics": "Topics of a cluster, with or without a contract.",
    "clusters": "Kafka clusters that a workspace connects to.",
    "schemas": (
        "The schema registry of the web interface. "
        "Programs use the Confluent-compatible routes under `/registry/{workspace}`."
    ),
    "dashboards": "Panels over the results of jobs, and read-only links to them.",
    "alerts": "Alerts, the rules that raise them, channels that are told, silences, and objectives.",
    "openlineage": "Lineage of jobs as OpenLineage events, sent to a catalog of yours.",
    "monitoring": "Everything that is measured, for Prometheus.",
    "live": "Tickets for the WebSocket `/ws/live` (docs/protocol.md).",
}
TAGS: Final = [{"name": name, "description": text} for name, text in _TAGS.items()]

# The first that matches a path below ``/api/v1/`` or ``/api/v1/workspaces/{slug}/`` decides.
_AREAS: Final = [
    (re.compile(pattern), tag)
    for pattern, tag in (
        (r"session", "session"),
        (r"tokens", "tokens"),
        (r"functions|document-schema|examples$", "reference"),
        (r"overview", "overview"),
        (r"map$", "map"),
        (r"members|invitations", "members"),
        (r"audit-trail", "audit trail"),
        (r"jobs/[^/]+/test|documents/test", "tests"),
        (r"jobs/[^/]+/results", "results"),
        (r"jobs/[^/]+/(?:lag|marks)", "lag"),
        (r"jobs/[^/]+/logs", "logs"),
        (r"jobs|documents|examples/", "jobs"),
        (r"consumer-group", "consumer groups"),
        (r"engines", "engines"),
        (r"streams/[^/]+/(?:validation|dead-letters|redrives)", "dead letters"),
        (r"streams/[^/]+/table", "tables"),
        (r"streams|samples|encodings", "streams"),
        (r"clusters/[^/]+/topics", "topics"),
        (r"clusters", "clusters"),
        (r"schema-policy|schemas", "schemas"),
        (r"dashboards|dashboard-outputs|shared-dashboard", "dashboards"),
        (r"alert|notifications|silences|objectives", "alerts"),
        (r"openlineage", "openlineage"),
        (r"metrics", "monitoring"),
        (r"live-ticket", "live"),
    )
]


def area_of(path: str) -> str:
    """The area that a route belongs to.

    Args:
        path: as in the OpenAPI document, such as ``/api/v1/workspaces/{slug}/jobs``.

    Raises:
        LookupError: none fits; a new route needs a line above.
    """
    route = path.removeprefix("/api/v1/").removeprefix("workspaces/{slug}/")
    for pattern, tag in _AREAS:
        if pattern.match(route):
            return tag
    raise LookupError(f"{path} belongs to no area of the API")
