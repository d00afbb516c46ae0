"""Pass: what is allowed but looks like a mistake."""

from jobs.base.problems import warning
from jobs.operators.aggregate import AggregateStep
from jobs.operators.derive import DeriveStep
from jobs.operators.select import SelectStep
from jobs.plan.draft import Draft


def lint(draft: Draft) -> None:
    """STEP_UNUSED for nodes that no output depends on, FIELD_UNUSED for computed fields that nothing reads."""
    if draft.document.outputs and not draft.parsed.unparsed:  # what could not be read may have read them
        for section, names in (("sources", draft.document.sources), ("steps", draft.document.steps)):
            for name in names:
                if name not in draft.live:
                    draft.problems.append(
                        warning("STEP_UNUSED", (section, name), f"{name} isn't used by any output.", "Connect or remove it.")
                    )
    if not draft.valid:
        return
    for name in draft.live_steps():
        for section, field in _computed(draft, name):
            if field not in draft.needed[name] and field not in draft.relations[name].identity:
                draft.problems.append(
                    warning(
                        "FIELD_UNUSED",
                        ("steps", name, section, field),
                        f"Field {field} is never used.",
                        "Remove it, or include it in a result.",
                    )
                )


def _computed(draft: Draft, name: str) -> list[tuple[str, str]]:
    match draft.document.steps[name]:
        case DeriveStep(fields=fields):
            return [("fields", field) for field in fields]
        case SelectStep(fields=dict() as fields):
            return [("fields", field) for field, text in fields.items() if text.strip() != field]
        case AggregateStep(measures=measures):
            return [("measures", field) for field in measures]
        case _:
            return []
