"""Creates jobs and versions of their documents."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from jobs.base.problems import problem
from jobs.plan import Plan
from weir.runs.models import Job, JobVersion
from weir.runs.services.drawing import Moves, follow_version, move_nodes
from weir.runs.services.job_diff import diff_job
from weir.runs.services.job_lock import lock_job
from weir.runs.services.planning import plan_in, require_ok, result_of
from weir.runs.services.stream_uses import record_uses
from weir.runs.signals import version_made
from weir.workspaces.errors import ConflictError, ServiceError
from weir.workspaces.models import Action, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.uniqueness import unique_or

# Job names stand in addresses, group names and application names.
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]{0,98}[A-Za-z0-9]|[A-Za-z]")


def create_job(
    workspace: Workspace,
    actor: User,
    document: str,
    positions: Mapping[str, Moves] | None = None,
    view: str = "",
) -> Job:
    """A new job with its first version, not started.

    Args:
        workspace: of the job.
        actor: the user.
        document: the job document as text.
        positions: of nodes in the drawing of its draft; None: all are automatic.
        view: one of `Job.View`, in which it was made; empty: none.

    Raises:
        ServiceError: the document has errors; it carries all of them. QUOTA_REACHED.
        ConflictError: the name is taken.
    """
    require_room("jobs", Job.objects.of(workspace).filter(kind=Job.Kind.JOB).count())
    plan = require_ok(plan_in(workspace, document))
    name = _name(plan)
    with unique_or(_taken(name)):
        job = Job.objects.create(
            workspace=workspace, name=name, description=_description(plan), edited_in=view
        )
        version = _write_version(job, actor, 1, document, plan, note="", changes=())
        record_uses(job)
        if positions:
            move_nodes(job, positions)
            follow_version(job, version)
        record_event(
            workspace,
            "job",
            f"Job {name} created",
            actor=actor.username,
            subject=job.id,
            action=Action.CREATED,
        )
    return job


def create_validator_job(workspace: Workspace, name: str, document: Mapping[str, Any]) -> Job:
    """The system's job over one stream, not started; people do not see it among their jobs, and it
    counts as no use of the stream.

    Args:
        workspace: whose it is.
        name: with a sign that no name of a job has.
        document: reads the stream; its steps are not what an engine does (`jobs.engine.validator`).

    Raises:
        ServiceError: the stream's contract has errors by now.
    """
    plan = require_ok(plan_in(workspace, document))
    with transaction.atomic():
        job = Job.objects.create(
            workspace=workspace, kind=Job.Kind.VALIDATOR, name=name, description=_description(plan)
        )
        _write_version(job, None, 1, json.dumps(document), plan, note="", changes=())
    return job


def add_version(
    job: Job,
    actor: User,
    document: str,
    note: str = "",
    expected: str | None = None,
    base: int | None = None,
    view: str = "",
) -> JobVersion:
    """Add a version of a job's document. A running job keeps its version until it is restarted.

    Args:
        job: the job.
        actor: the user.
        document: the job document as text.
        note: the reason of the change, shown to users.
        expected: ``same_state`` or ``new_generation``: fail when the edit has the other
            outcome; None: accept both.
        base: number of the version that the document was written from; None: the newest when the request
            came.
        view: one of `Job.View`, in which it was written; empty: none, and the job's stays.

    Raises:
        ServiceError: the document has errors; it carries all of them. QUOTA_REACHED.
        ConflictError: VERSION_OUTDATED, somebody saved a version after `base`; the outcome is not the
            expected one; or the new name is taken.
        NotFoundError: the job is deleted.
    """
    require_room("versions", job.versions.count())
    written_from = job.version if base is None else base
    _require_newest(job, written_from)
    diff = diff_job(job, document, written_from)
    plan = require_ok(diff.plan)
    if expected == "same_state" and diff.outcome == "new_generation":
        reasons = "; ".join(change["sentence"] for change in diff.changes if change["breaks_state"])
        raise ConflictError("NEW_GENERATION_NEEDED", f"This edit resets state ({reasons}). Confirm to save.")
    if expected == "new_generation" and diff.outcome != "new_generation":
        raise ConflictError("SAME_STATE", "This edit keeps the state; a state reset isn't needed.")
    name = _name(plan)
    with unique_or(_taken(name)):
        locked = lock_job(job)
        # Planning takes too long to hold the lock meanwhile; what it compared has to be the newest still.
        _require_newest(locked, written_from)
        number = locked.version + 1
        version = _write_version(locked, actor, number, document, plan, note=note, changes=diff.changes)
        locked.name, locked.description, locked.version = name, _description(plan), number
        locked.edited_in = view or locked.edited_in
        locked.save(update_fields=["name", "description", "version", "edited_in"])
        record_uses(locked)
        follow_version(locked, version)
        record_event(
            job.workspace,
            "job",
            f"{name} updated to version {number}",
            actor=actor.username,
            subject=job.id,
            action=Action.CHANGED,
        )
    job.refresh_from_db()
    version_made.send(sender=Job, job=job, actor=actor)
    return version


def _require_newest(job: Job, number: int) -> None:
    if number == job.version:
        return
    newest = JobVersion.objects.select_related("created_by").get(job=job, number=job.version)
    saved_by = newest.created_by.username if newest.created_by else ""
    raise ConflictError(
        "VERSION_OUTDATED",
        f"Version {job.version} was saved meanwhile{f' by {saved_by}' if saved_by else ''}. "
        f"Compare it with your document, then save on version {job.version}.",
        more={"version": job.version, "saved_by": saved_by},
    )


def _taken(name: str) -> ConflictError:
    return ConflictError("NAME_TAKEN", f"Job name {name!r} is taken. Choose another.")


def _name(plan: Plan) -> str:
    name = plan.document.name if plan.document else ""
    if not _NAME.fullmatch(name):
        hint = "Use letters, digits, spaces, . _ - (max 100), starting with a letter."
        raise ServiceError(
            "DOCUMENT_INVALID",
            "Invalid job name.",
            (problem("NAME_INVALID", ("name",), "Invalid job name.", hint),),
        )
    return name


def _description(plan: Plan) -> str:
    return plan.document.description[:500] if plan.document else ""


def _write_version(
    job: Job,
    actor: User | None,
    number: int,
    text: str,
    plan: Plan,
    *,
    note: str,
    changes: tuple[Mapping[str, Any], ...],
) -> JobVersion:
    if plan.document is None:
        raise ValueError("only a valid plan becomes a version")
    return JobVersion.objects.create(
        job=job,
        number=number,
        created_by=actor,
        note=note,
        document_text=text,
        document=plan.document.as_json(),
        fingerprint=plan.fingerprint,
        mode=plan.mode.mode,
        mode_reasons=list(plan.mode.reasons),
        result=result_of(plan),
        changes=list(changes),
    )
