"""Pass: check names and settings, and look up the contracts of sources."""

from typing import Final

from jobs.base.budget import OverBudget
from jobs.base.durations import Duration
from jobs.base.problems import problem
from jobs.document_parts import SourceRef
from jobs.operators.output_fields import check_name, nearest
from jobs.operators.parameters import check_duration
from jobs.plan.draft import Draft

_SECOND: Final = 1_000_000
_SETTINGS_RANGE: Final = {
    "retention": (Duration(600 * _SECOND), Duration(366 * 86_400 * _SECOND)),
    "commit_interval": (Duration(5 * _SECOND), Duration(600 * _SECOND)),
    "trigger": (Duration(_SECOND // 10), Duration(3_600 * _SECOND)),
}


def resolve(draft: Draft) -> None:
    """Fill contracts.

    NAME_INVALID, NAME_RESERVED, NAME_TAKEN; PARAMETER_RANGE for unknown streams, a table given as a stream or
    the reverse, and settings out of range; DOCUMENT_TOO_LARGE for contracts that are not read any more,
    because the document's budget of time is used up.
    """
    document = draft.document
    for section, names in (
        ("sources", document.sources),
        ("steps", document.steps),
        ("outputs", document.outputs),
    ):
        for name in names:
            draft.problems += check_name(name, (section, name))
    for name in document.steps:
        if name in document.sources:
            draft.problems.append(
                problem(
                    "NAME_TAKEN",
                    ("steps", name),
                    f"{name} is already the name of a source.",
                    "Sources and steps need unique names.",
                )
            )
    for name, source in document.sources.items():
        _resolve_source(draft, name, source)
    for name, (least, most) in _SETTINGS_RANGE.items():
        draft.problems += check_duration(
            getattr(document.settings, name), ("settings", name), min=least, max=most
        )[1]


def _resolve_source(draft: Draft, name: str, source: SourceRef) -> None:
    kind = "table" if source.table else "stream"
    path = ("sources", name, kind)
    try:
        contract = draft.catalog.get(source.registered)
    except OverBudget as over:
        message = f"The contract isn't read, the document is too large: {over}."
        draft.problems.append(
            problem("DOCUMENT_TOO_LARGE", path, message, "Split the document into several jobs.")
        )
        return
    if contract is None and source.registered in draft.context.unreadable:
        draft.problems.append(problem("PARAMETER_RANGE", path, draft.context.unreadable[source.registered]))
        return
    if contract is None:
        message = f"Unknown {kind} {source.registered!r} in this workspace."
        # Of either kind: a contract is read when it is asked for, and whoever takes the wrong one is told.
        hint = nearest(source.registered, draft.catalog) or f"Register the topic as a {kind} first."
        draft.problems.append(problem("PARAMETER_RANGE", path, message, hint))
        return
    if contract.kind != kind:
        message = f"{source.registered} is a {contract.kind}, not a {kind}."
        draft.problems.append(
            problem("PARAMETER_RANGE", path, message, f"Write {{{contract.kind}: {source.registered}}}.")
        )
        return
    draft.contracts[name] = contract
