"""What a generation keeps, as far as it decides which plans can go on with it, and with which measures empty.

See `docs/semantics/restarts-and-versions.md#generations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.plan.model import Plan


@dataclass(frozen=True, slots=True)
class KeptState:
    """The state of a plan.

    Attributes:
        fingerprint: of the plan.
        base_fingerprint: of the plan; empty: the state can't be adapted, since nothing tells its layout.
        measures: the digests of what is kept, by aggregate whose measures can change, in order
            (`jobs.plan.model.StateSignature`).
    """

    fingerprint: str
    base_fingerprint: str
    measures: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class EmptyMeasure:
    """A measure that begins without the records that were read before."""

    step: str
    measure: str


def kept_state(plan: Plan) -> KeptState:
    """What state of a plan keeps; the plan has no errors."""
    measures = [sorted(set(kept.values())) for kept in plan.state.measures.values()]
    return KeptState(plan.fingerprint, plan.base_fingerprint, measures)


def empty_measures(kept: KeptState, plan: Plan) -> tuple[EmptyMeasure, ...] | None:
    """The measures that begin empty where a plan goes on with kept state; None where it can't.

    Args:
        kept: by a generation.
        plan: without errors.
    """
    if plan.fingerprint == kept.fingerprint:
        return ()
    if not kept.base_fingerprint or plan.base_fingerprint != kept.base_fingerprint:
        return None
    # Steps may have other names by now; their order is part of the fingerprint.
    pairs = zip(plan.state.measures.items(), kept.measures, strict=True)
    return tuple(
        EmptyMeasure(step, name)
        for (step, measures), were in pairs
        for name, meaning in measures.items()
        if meaning not in were
    )


def empty_measures_text(plan: Plan, empty: Sequence[EmptyMeasure]) -> str:
    """What people read about measures that begin empty; empty where there are none."""
    if not empty:
        return ""
    names = ", ".join(f"{one.step}.{one.measure}" for one in empty)
    subject = f"Measure {names} starts empty" if len(empty) == 1 else f"Measures {names} start empty"
    if not all(plan.relation(one.step).windowed for one in empty):
        return f"{subject}: only records after the restart count."
    if plan.relation(plan.outputs[0]).windowed:
        return f"{subject}: windows open at the restart are marked partial."
    return f"{subject}: in windows open at the restart, only records after it count."
