"""What the form of the composer must know of the backend. The form's own side: `operators.test.ts` in `frontend/src/composer`."""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.support.form_parameters import FILE, text
from tests.support.plan_helpers import contract, document

UNSUPPORTED: dict[str, dict[str, Any]] = json.loads((FILE.parent / "unsupported.json").read_text(encoding="utf-8"))


def test_the_list_of_parameters_is_up_to_date() -> None:
    """If not: python -m tests.support.form_parameters, then let the form know what is new (`npm test` in frontend says what)."""
    assert FILE.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize(("op", "path"), [(op, path) for op, paths in UNSUPPORTED.items() for path in paths])
def test_what_the_form_does_not_offer_is_refused(op: str, path: str) -> None:
    """If it is not refused any more: take its line out of `unsupported.json`, and the form offers it."""
    found = [problem.path[:3] for problem in _plan_with(op, path, UNSUPPORTED[op][path]).problems if problem.severity == "error"]
    assert found == [("steps", "step", path.partition(".")[0])]


@pytest.mark.parametrize("op", UNSUPPORTED)
def test_without_it_the_step_is_sound(op: str) -> None:
    assert _plan_with(op, "", None).ok


_STEPS: dict[str, dict[str, Any]] = {
    "cast": {"op": "cast", "input": "s", "fields": {"k": "int"}},
    "table_join": {"op": "table_join", "input": "s", "table": "t", "on": {"k": "k"}, "prefix": "t_", "broadcast": {}},
}


def _plan_with(op: str, path: str, value: Any) -> Any:
    step = json.loads(json.dumps(_STEPS[op]))
    place = step
    *above, last = path.split(".")
    for name in above:
        place = place[name]
    if path:
        place[last] = value
    table = StreamContract.model_validate({**contract().model_dump(mode="json", exclude_unset=True), "kind": "table", "key": ["k"]})
    return plan_job(document({"step": step}, sources={"s": {"stream": "s"}, "t": {"table": "t"}}), {"s": contract(), "t": table})
