"""Plays many cases side by side, and tells all that differ at once."""

import gc
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.oracle.cases import Case
from tests.support.spark_case import SIDE_BY_SIDE


def require_no_difference(all_cases: Sequence[Case], play: Callable[[int, Case], list[str]]) -> None:
    """Fails where a case differs; those that do are printed completely, to become golden cases.

    Args:
        all_cases: to play.
        play: plays one, with its number, and gives how it differs.
    """

    def describe(number: int) -> str:
        case = all_cases[number]
        try:
            differing = play(number, case)
        except Exception as error:  # noqa: BLE001 - all failing cases are reported together
            differing = [f"{type(error).__name__}: {str(error)[:2_000]}"]
        wrong = (
            f"case {number}\n{case.document}\n{json.dumps(case.contracts)}\n{json.dumps(case.batches)}\n"
            + "\n".join(differing)
        )
        if number % 20 == 19:
            gc.collect()  # Spark's sessions hold cycles; Python collects them too rarely for the JVM's heap
        if differing or number % 100 == 99:
            print(wrong if differing else f"{number + 1} cases played", flush=True)
        return wrong if differing else ""

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        wrong = list(filter(None, pool.map(describe, range(len(all_cases)))))
    assert not wrong, f"{len(wrong)} of {len(all_cases)} differ\n" + "\n\n".join(wrong)
