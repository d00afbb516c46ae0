import json
from typing import Any

import pytest

from jobs.engine.script_processors.row_rank import rank_of


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (None, False),
        (False, True),
        (True, 0),
        (9, 10),
        (10, "9"),
        ("9", "a"),
        ([1], [1, None]),
        ([1, 9], [2]),
    ],
)
def test_identities_are_in_row_order(less: Any, more: Any) -> None:
    assert rank_of(json.dumps([less])) < rank_of(json.dumps([more]))
