"""Create, change, turn off and delete rules: the only writer of `AlertRule`, but for its `problem`
(`evaluator.py`).
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from weir.alerts.models import Alert, AlertRule, Channel
from weir.alerts.services.book import LoadedRule
from weir.alerts.services.outbox import is_end_owed
from weir.alerts.services.row_evaluation import TOO_SLOW
from weir.alerts.services.rule_check import rule_problems
from weir.alerts.services.rule_document import RuleDocument, invalid, parse_rule
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.revisions import outdated
from weir.workspaces.services.uniqueness import unique_or


def checked_rule(workspace: Workspace, document: Any) -> RuleDocument:
    """The rule of a request.

    Raises:
        ServiceError: RULE_INVALID with all problems, each with its path; RULE_TOO_LARGE.
    """
    parsed = parse_rule(document)
    problems = rule_problems(workspace, parsed)
    if problems:
        raise invalid(problems)
    return parsed


def create_rule(
    workspace: Workspace, actor: User, name: str, document: Any, *, enabled: bool = True
) -> AlertRule:
    """A new rule; it is evaluated from now on.

    Raises:
        ServiceError: as of `checked_rule`; NAME_INVALID; QUOTA_REACHED.
        ConflictError: the name is taken.
    """
    parsed = checked_rule(workspace, document)
    require_room("alert_rules", AlertRule.objects.filter(workspace=workspace).count())
    with unique_or(taken("Rule", name)):
        made = AlertRule.objects.create(
            workspace=workspace,
            name=cleaned(name),
            document=parsed.as_json(),
            enabled=enabled,
            job_id=parsed.watch.job,
            changed_by=actor,
        )
        _record(made, actor, Action.CREATED)
    return made


def change_rule(
    rule: AlertRule, actor: User, name: str, document: Any, revision: int, *, enabled: bool
) -> AlertRule:
    """Replace name, document and whether it is evaluated. Open alerts end where what it watches has changed.
    A document that stays as it is isn't checked where the rule is turned off.

    Raises:
        ServiceError: as of `create_rule`.
        ConflictError: REVISION_OUTDATED, somebody else changed it meanwhile; NAME_TAKEN.
    """
    stored: dict[str, Any] = {}
    # Its job or field may be gone: then turning it off is what is left to do.
    if enabled or document != rule.document:
        parsed = checked_rule(rule.workspace, _without_gone_channels(rule, document))
        stored = {"document": parsed.as_json(), "job_id": parsed.watch.job}
    with unique_or(taken("Rule", name)):
        changed = AlertRule.objects.filter(pk=rule.pk, revision=revision).update(
            **stored,
            name=cleaned(name),
            enabled=enabled,
            problem="",
            turned_off=AlertRule.TurnedOff.NOT_BY_WEIR,
            revision=F("revision") + 1,
            changed_at=timezone.now(),
            changed_by=actor,
        )
        if not changed:
            raise outdated("rule")
        rule.refresh_from_db()
        _record(rule, actor, Action.CHANGED)
    return rule


def _without_gone_channels(rule: AlertRule, document: Any) -> Any:
    """The document without channels that were deleted since the rule was stored with them: without any of
    them others are told (`outbox.told_channels`), so nothing has to be chosen first.
    """
    named = document.get("channels") if isinstance(document, Mapping) else None
    if not isinstance(named, list):
        return document
    known = list(Channel.objects.filter(workspace=rule.workspace).values_list("pk", flat=True))
    gone = [one for one in rule.document.get("channels", []) if one not in known]
    return {**document, "channels": [one for one in named if one not in gone]}


def turn_off_slow_rule(rule: LoadedRule) -> None:
    """Turn off a rule that takes more processor time than it may, unless somebody has changed it meanwhile.
    Its alerts end, and the workspace's events say it once.
    """
    with transaction.atomic():
        done = AlertRule.objects.filter(pk=rule.id, revision=rule.revision, enabled=True).update(
            enabled=False,
            problem=f"Turned off. {TOO_SLOW}",
            turned_off=AlertRule.TurnedOff.TOO_SLOW,
            revision=F("revision") + 1,
            changed_at=timezone.now(),
        )
        if done:
            record_event(
                Workspace(pk=rule.workspace_id),
                Event.Kind.ALERT,
                f"Alert rule {rule.name} turned off: its condition takes too long",
                action=Action.CHANGED,
                subject=rule.id,
            )


def delete_rule(rule: AlertRule, actor: User) -> None:
    """Delete a rule with its alerts and their history.

    Raises:
        ConflictError: RULE_OF_TEMPLATE, it is one that every workspace has; it can be turned off. RULE_FIRES,
            channels would never learn of the end of its alerts.
    """
    if rule.template:
        raise ConflictError("RULE_OF_TEMPLATE", "Every workspace has this rule. Turn it off instead.")
    with transaction.atomic():
        if is_end_owed(Alert.objects.filter(rule=rule)):
            raise ConflictError(
                "RULE_FIRES",
                "Channels were told of its alerts. Turn it off first, so that they learn of the end."
                if rule.enabled
                else "Channels have not learned yet of the end of its alerts. Delete it when they have.",
            )
        _record(rule, actor, Action.DELETED)
        rule.delete()


def cleaned(text: str) -> str:
    """A name without surplus blanks.

    Raises:
        ServiceError: NAME_INVALID, it is empty.
    """
    name = " ".join(text.split())
    if not name:
        raise ServiceError("NAME_INVALID", "Enter a name.")
    return name


def taken(what: str, name: str) -> ConflictError:
    """The error of a name that another has."""
    return ConflictError("NAME_TAKEN", f"{what} name {name[:100]!r} is taken. Choose another.")


def _record(rule: AlertRule, actor: User, action: Action) -> None:
    record_event(
        rule.workspace,
        Event.Kind.ALERT,
        f"Alert rule {rule.name} {action}" + ("" if rule.enabled else " (turned off)"),
        action=action,
        actor=actor.username,
        subject=rule.pk,
    )
