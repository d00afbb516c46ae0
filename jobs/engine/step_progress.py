"""What Spark's progress of a batch says of single steps."""

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.engine.late_row_factor import late_row_factor, only_late_steps
from jobs.engine.observed_metrics import LATE
from jobs.engine.state_steps import kind_of, state_steps
from jobs.engine.step_counts import StepCounts
from jobs.kafka_messages import StepState
from jobs.plan import Plan


class StepProgress:
    """Reads the progress of one query; made once, when it starts.

    Args:
        plan: the part of the query, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        self._late_rows = LateRows(plan)
        self._counts = StepCounts(plan)
        self._states = state_steps(plan)

    def given(self, observed: Mapping[str, Any], written: int) -> dict[str, int]:
        """Rows by reference (`StepCounts.read`)."""
        return self._counts.read(observed, written)

    def late(self, operators: Sequence[Mapping[str, Any]], observed: Mapping[str, Any]) -> int:
        """Lower bound of the late rows of a batch (`LateRows.of_batch`)."""
        return self._late_rows.of_batch(operators, observed)

    def states(
        self, operators: Sequence[Mapping[str, Any]], observed: Mapping[str, Any]
    ) -> dict[str, StepState]:
        """What each step with state keeps, and the late rows that it dropped.

        Args:
            operators: Spark's progress of the query's stateful operators.
            observed: observed metrics by name.

        Returns:
            Nothing where Spark lists other operators than the plan says, so that shares of steps are unknown.
        """
        if [name for name, _ in self._states] != [kind_of(one) for one in operators]:
            return {}
        found: dict[str, list[Mapping[str, Any]]] = {}
        for (_, step), operator in zip(self._states, operators, strict=True):
            if step is not None:
                found.setdefault(step, []).append(operator)
        return {step: self._state(step, own, observed) for step, own in found.items()}

    def _state(self, step: str, operators: list[Mapping[str, Any]], observed: Mapping[str, Any]) -> StepState:
        return StepState(
            rows=sum(int(one.get("numRowsTotal") or 0) for one in operators),
            bytes=sum(state_bytes(one) for one in operators),
            late=self._late_rows.of_step(step, operators, observed),
        )


class LateRows:
    """Counts the late rows of one query: those that Spark drops, and those of steps of which only the late
    output is computed, where Spark drops none.

    Args:
        plan: the part of the query, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        self._factor = late_row_factor(plan)
        self._only_late = only_late_steps(plan)

    def of_batch(self, operators: Sequence[Mapping[str, Any]], observed: Mapping[str, Any]) -> int:
        """Those of a batch, as `late_rows` says.

        Args:
            operators: Spark's progress of the query's stateful operators.
            observed: observed metrics by name.
        """
        sent = sum(_sent(step, observed) for step in self._only_late)
        return late_rows(operators, times=self._factor) + sent

    def of_step(self, step: str, operators: Sequence[Mapping[str, Any]], observed: Mapping[str, Any]) -> int:
        """Those of one step, of whose operators this is the progress."""
        sent = _sent(step, observed) if step in self._only_late else 0
        return late_rows(operators, times=self._factor) + sent


def _sent(step: str, observed: Mapping[str, Any]) -> int:
    """The rows that a step's late output gave."""
    value = observed.get(f"{LATE}{step}") or [0]
    return int((value["rows"] if isinstance(value, Mapping) else value[0]) or 0)


def state_bytes(state: Mapping[str, Any]) -> int:
    """Bytes that a stateful operator keeps, on disk and in memory, by Spark's progress of it."""
    stored = (state.get("customMetrics") or {}).get("rocksdbSstFileSize") or 0
    return int(stored) + int(state.get("memoryUsedBytes") or 0)


def late_rows(states: Sequence[Mapping[str, Any]], *, times: int) -> int:
    """Lower bound of the number of late rows: at least 1 where there is one, never more than there are
    (`docs/semantics/watermarks-and-lateness.md#counting-late-rows`).

    Args:
        states: Spark's progress of the stateful operators.
        times: how often Spark counts a late row at most (`jobs.engine.late_row_factor.late_row_factor`); its
            sum is divided by this, rounding up.
    """
    counted = sum(int(state.get("numRowsDroppedByWatermark") or 0) for state in states)
    return -(-counted // times)
