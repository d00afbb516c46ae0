"""The rules that every workspace has from its beginning. People change them or turn them off."""

from dataclasses import dataclass
from typing import Any, Final

from weir.alerts.models import AlertRule
from weir.alerts.services.rule_document import MetricWatch, RuleDocument
from weir.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Template:
    """A rule of the beginning: its code, which never changes, its name and its document."""

    code: str
    name: str
    document: RuleDocument


def _above(
    metric: str, value: float, hold: str, severity: Any, recovers_at: float | None = None
) -> RuleDocument:
    watch = MetricWatch(kind="metric", metric=metric, above=value, recovers_at=recovers_at)
    return RuleDocument(watch=watch, hold=hold, severity=severity)


def _below(metric: str, value: float, hold: str, severity: Any) -> RuleDocument:
    return RuleDocument(
        watch=MetricWatch(kind="metric", metric=metric, below=value), hold=hold, severity=severity
    )


TEMPLATES: Final = (
    Template("job-failed", "Job failed", _above("job.failed", 0, "0s", "critical")),
    Template("job-restarting", "Job restarts again and again", _above("job.restarts", 2, "0s", "warning")),
    Template("job-unknown", "No heartbeat of a job", _above("job.unknown", 0, "1m", "critical")),
    Template(
        "falling-behind", "Job is falling behind", _above("job.falling_behind_seconds", 60, "0s", "warning")
    ),
    Template("source-silent", "Source is silent", _above("source.silent_seconds", 1_800, "0s", "warning")),
    Template(
        "watermark-standing",
        "Watermark stands still",
        _above("job.watermark_standing_seconds", 900, "0s", "warning"),
    ),
    Template(
        "malformed",
        "Malformed records above their usual share",
        _above("source.malformed_over_usual", 5, "0s", "warning"),
    ),
    Template(
        "dead-letters",
        "Dead letters above their usual share",
        _above("stream.dead_letters_over_usual", 5, "0s", "warning"),
    ),
    Template(
        "cluster-unreachable",
        "Kafka cluster is unreachable",
        _above("cluster.unreachable", 0, "1m", "critical"),
    ),
    Template(
        "disk-full", "Kafka disk is nearly full", _above("cluster.disk_used_share", 0.9, "0s", "critical")
    ),
    Template(
        "certificate-expiring",
        "Kafka certificate is about to expire",
        _below("cluster.certificate_expires_days", 14, "0s", "warning"),
    ),
    Template("engine-lost", "Engine is lost", _above("engine.lost", 0, "30s", "critical")),
    Template("state-growing", "State grows without bound", _above("job.state_growth", 64, "0s", "warning")),
    Template(
        "token-expiring", "API token is about to expire", _below("member.token_expires_days", 7, "0s", "info")
    ),
    Template(
        "fast-burn",
        "Objective: error budget burns fast",
        _above("objective.fast_burn", 14.4, "0s", "critical"),
    ),
    Template(
        "slow-burn", "Objective: error budget burns slowly", _above("objective.slow_burn", 6, "0s", "warning")
    ),
)


def add_templates(workspace: Workspace) -> None:
    """Give a workspace the rules that it lacks."""
    AlertRule.objects.bulk_create(
        [
            AlertRule(workspace=workspace, name=one.name, document=one.document.as_json(), template=one.code)
            for one in TEMPLATES
        ],
        ignore_conflicts=True,
    )
