"""Compatibility levels and modes, of a subject or of all."""

from typing import Final

from django.db import transaction

from weir.schemas.errors import RegistryError
from weir.schemas.models import RegistrySettings, Subject
from weir.schemas.services.levels import LEVELS
from weir.schemas.services.queries import (
    get_settings,
)
from weir.schemas.services.registry_quotas import require_subject
from weir.workspaces.models import Action, Workspace
from weir.workspaces.services.events import record_event

MODES: Final = ("READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT")


MAX_SUBJECT_CHARS: Final = 255


def level_of(workspace: Workspace, name: str = "") -> str:
    """The level that holds for a subject; of no subject, the workspace's."""
    subject = Subject.objects.of(workspace).filter(name=name).first()
    own = subject.level if subject is not None else ""
    return str(own or get_settings(workspace).level)


def mode_of(workspace: Workspace, name: str = "") -> str:
    """The mode that holds for a subject; of no subject, the workspace's."""
    subject = Subject.objects.of(workspace).filter(name=name).first()
    return held_mode(subject.mode if subject is not None else "", get_settings(workspace).mode)


def held_mode(own: str, of_all: str) -> str:
    """The mode that holds for a subject.

    Args:
        own: its own; empty: none.
        of_all: the workspace's.
    """
    return of_all if of_all == "READONLY_OVERRIDE" else own or of_all


def require_writable(workspace: Workspace, name: str) -> str:
    """Refuse a change of a subject that is read-only.

    Returns:
        The mode of the subject.

    Raises:
        RegistryError: 42205.
    """
    mode = mode_of(workspace, name)
    if mode.startswith("READONLY"):
        raise RegistryError(42205, f"Subject {name[:255]} is in read-only mode.")
    return mode


def require_registrable(workspace: Workspace, name: str, *, with_id: bool) -> None:
    """Refuse a schema that the mode of a subject forbids: in import mode the client gives each its ID, which
    the registry might otherwise have given to another; in any other mode the registry does.

    Raises:
        RegistryError: 42205.
    """
    importing = require_writable(workspace, name) == "IMPORT"
    if with_id and not importing:
        raise RegistryError(42205, f"Subject {name[:255]} is not in import mode.")
    if importing and not with_id:
        raise RegistryError(
            42205, f"Subject {name[:255]} is in import mode, not in read-write mode: a schema needs its ID."
        )


def set_level(workspace: Workspace, name: str, level: str, actor: str) -> None:
    """Change the level of a subject, or of the workspace; empty: the subject follows the workspace again.

    Raises:
        RegistryError: 42203.
    """
    if level not in (*LEVELS, ""):
        raise RegistryError(42203, f"Invalid compatibility level. Valid values are {', '.join(LEVELS)}.")
    _set(workspace, name, level=level)
    record_event(
        workspace,
        "schema",
        f"Compatibility of {name or 'all subjects'} {f'set to {level}' if level else 'reset to default'}",
        actor=actor,
        subject=name[:80],
        action=Action.CHANGED,
    )


def set_mode(workspace: Workspace, name: str, mode: str, actor: str) -> None:
    """Change the mode of a subject, or of the workspace; empty: the subject follows the workspace again.

    Raises:
        RegistryError: 42204.
    """
    if mode not in (*MODES, ""):
        raise RegistryError(42204, f"Invalid mode. Valid values are {', '.join(MODES)}.")
    _set(workspace, name, mode=mode)
    record_event(
        workspace,
        "schema",
        f"Mode of {name or 'all subjects'} {f'set to {mode}' if mode else 'reset to default'}",
        actor=actor,
        subject=name[:80],
        action=Action.CHANGED,
    )


def _set(workspace: Workspace, name: str, **change: str) -> None:
    if not name:
        RegistrySettings.objects.update_or_create(workspace=workspace, defaults=change)
    elif any(change.values()):
        require_subject(workspace, name[:MAX_SUBJECT_CHARS])
        Subject.objects.update_or_create(workspace=workspace, name=name[:MAX_SUBJECT_CHARS], defaults=change)
    else:
        _reset(workspace, name[:MAX_SUBJECT_CHARS], change)


def _reset(workspace: Workspace, name: str, change: dict[str, str]) -> None:
    """Make a subject follow the workspace; one that has nothing else, and never had a version, goes."""
    with transaction.atomic():
        subject = Subject.objects.of(workspace).select_for_update().filter(name=name).first()
        if subject is None:
            return
        for setting, value in change.items():
            setattr(subject, setting, value)
        if subject.last_version or subject.level or subject.mode:
            subject.save(update_fields=[*change])
        else:
            subject.delete()
