"""Sends a message over HTTP: to Slack and what takes its webhooks, Teams, PagerDuty, and own receivers.
 Each form is its documented one: Slack incoming webhooks, Teams workflows with an adaptive card,
PagerDuty Events API v2.
"""

import json
import time
from datetime import datetime
from typing import Any, Final

from django.conf import settings

from weir.alerts.models import Notification
from weir.alerts.services.messages import About, Message
from weir.alerts.services.signatures import signature
from weir.outgoing.http_door import post
from weir.outgoing.send_errors import SendError

MAX_TEXT: Final = 3_000  # Slack's limit of a block is the least of all
# Statuses after which the same request may succeed later.
_TRANSIENT: Final = frozenset({408, 409, 425, 429})


def send_slack(configuration: dict[str, Any], message: Message) -> None:
    """A message to a Slack-compatible webhook."""
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": message.subject[:150]}},
        {"type": "section", "text": {"type": "plain_text", "text": message.text[:MAX_TEXT]}},
    ]
    # `text` is marked up, so a name that somebody chose must not mention a channel or make a link.
    fallback = message.subject.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    _post_json(configuration["url"], {"text": fallback, "blocks": blocks}, {})


def send_teams(configuration: dict[str, Any], message: Message) -> None:
    """An adaptive card to a Teams workflow."""
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "TextBlock", "text": _plain(message.subject), "weight": "bolder", "wrap": True},
            {"type": "TextBlock", "text": _plain(message.text[:MAX_TEXT]), "wrap": True},
        ],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    _post_json(configuration["url"], {"type": "message", "attachments": [attachment]}, {})


def _plain(text: str) -> str:
    """Text as Teams shows it: a block is Markdown, and a row's value must not make a link, not even with a
    backslash that would escape ours.
    """
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("\n", "\n\n")


def send_pagerduty(configuration: dict[str, Any], message: Message) -> None:
    """An event of PagerDuty's Events API v2; the alert's id joins the events of one incident."""
    action = {
        Notification.Change.FIRED: "trigger",
        Notification.Change.TEST: "trigger",
        Notification.Change.ACKNOWLEDGED: "acknowledge",
        Notification.Change.RESOLVED: "resolve",
    }[Notification.Change(message.change)]
    about = message.alerts[0] if message.alerts else None
    event = {
        "routing_key": configuration["routing_key"],
        "event_action": action,
        "dedup_key": about.id if about is not None else message.id,
        "payload": {
            "summary": message.subject[:1_024],
            "source": f"weir/{message.workspace}",
            "severity": message.severity,
            "custom_details": _alert_json(about) if about is not None else {"text": message.text},
        },
        **({"links": [{"href": about.link, "text": "Open in Weir"}]} if about is not None else {}),
    }
    _post_json(settings.PAGERDUTY_URL, event, {})


def send_webhook(configuration: dict[str, Any], message: Message) -> None:
    """JSON to a receiver of one's own, signed with the channel's secret."""
    body = {
        "id": message.id,
        "change": message.change,
        "workspace": message.workspace,
        "severity": message.severity,
        "rule": {"id": message.rule_id, "name": message.rule} if message.rule_id else None,
        "acknowledged_by": message.by or None,
        "alerts": [_alert_json(about) for about in message.alerts],
    }
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    headers = {
        "Weir-Delivery": message.id,
        "Weir-Signature": signature(configuration["secret"], int(time.time()), text),
    }
    _post(configuration["url"], text, headers)


def _alert_json(about: About) -> dict[str, Any]:
    return {
        "id": about.id,
        "title": about.title,
        "condition": about.condition,
        "job": about.job or None,
        "group": about.group,
        "value": about.value,
        "row": about.row,
        "since": _instant(about.since),
        "resolved_at": _instant(about.resolved_at),
        "link": about.link,
    }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _post_json(url: str, body: dict[str, Any], headers: dict[str, str]) -> None:
    _post(url, json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode(), headers)


def _post(url: str, body: bytes, headers: dict[str, str]) -> None:
    """Raises: SendError, where the receiver did not answer with 2xx."""
    answer = post(url, body, {"Content-Type": "application/json; charset=utf-8", **headers})
    if answer.refusal:
        is_permanent = answer.status < 500 and answer.status not in _TRANSIENT
        raise SendError(answer.refusal, permanent=is_permanent, retry_after_s=answer.retry_after_s)
