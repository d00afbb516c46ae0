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
            (`jobs.plan.model.StateSignature`). What only some of an aggregate's states keep
            (`jobs.plan.state_copies`) is followed by a space and the number of the state, from 0.
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
    measures = [_kept_measures(plan, step) for step in plan.state.measures]
    return KeptState(plan.fingerprint, plan.base_fingerprint, measures)


def _kept_measures(plan: Plan, step: str) -> list[str]:
    meanings = plan.state.measures[step]
    copies = [{meanings[name] for name in kept} for kept in plan.state.kept_measures[step]]
    everywhere = set.intersection(*copies) if copies else set()
    return sorted(everywhere | {f"{one} {at}" for at, kept in enumerate(copies) for one in kept - everywhere})


def empty_measures(kept: KeptState, plan: Plan) -> tuple[EmptyMeasure, ...] | None:
    """The measures that begin empty where a plan goes on with kept state; None where it can't.

    Args:
        kept: by a generation.
        plan: without errors.
    """
    is_same = plan.fingerprint == kept.fingerprint
    is_adaptable = kept.base_fingerprint != "" and plan.base_fingerprint == kept.base_fingerprint
    if not is_same and not is_adaptable:
        return None
    if not kept.base_fingerprint:
        return ()
    # Steps may have other names by now; their order is part of the fingerprint.
    pairs = zip(plan.state.measures.items(), kept.measures, strict=True)
    empty = tuple(
        EmptyMeasure(step, name)
        for (step, measures), were in pairs
        for name, meaning in measures.items()
        if any(
            name in copy and meaning not in were and f"{meaning} {at}" not in were
            for at, copy in enumerate(plan.state.kept_measures[step])
        )
    )
    return empty if is_adaptable or not empty else None


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
