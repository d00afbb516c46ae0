"""Pass: warn about what is allowed but looks like a mistake."""

from jobs.base.problems import warning
from jobs.operators import OPERATORS
from jobs.plan.draft import Draft


def lint(draft: Draft) -> None:
    """STEP_UNUSED for nodes that no output needs, FIELD_UNUSED for computed fields that nothing reads."""
    if draft.document.outputs and not draft.parsed.unparsed:  # unparsed steps and outputs may use them
        _warn_unused_nodes(draft)
    if draft.valid:
        _warn_unused_fields(draft)


def _warn_unused_nodes(draft: Draft) -> None:
    for section, names in (("sources", draft.document.sources), ("steps", draft.document.steps)):
        for name in names:
            if name not in draft.live:
                draft.problems.append(
                    warning(
                        "STEP_UNUSED",
                        (section, name),
                        f"{name} isn't used by any output.",
                        "Connect or remove it.",
                    )
                )


def _warn_unused_fields(draft: Draft) -> None:
    for name in draft.live_steps():
        step = draft.document.steps[name]
        for section, field in OPERATORS[step.op].computed(step):
            if field not in draft.needed[name] and field not in draft.relations[name].identity:
                draft.problems.append(
                    warning(
                        "FIELD_UNUSED",
                        ("steps", name, section, field),
                        f"Field {field} is never used.",
                        "Remove it, or include it in a result.",
                    )
                )
