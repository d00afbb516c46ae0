"""Lines repeat from their seed; words are counted as the job must."""

import json
from itertools import islice

from examples.words.expected import expected
from examples.words.generator import LINES, lines


def test_same_seed_same_lines() -> None:
    first = list(islice(lines(3), 100))
    assert first == list(islice(lines(3), 100))
    assert {json.loads(value)["line"] for _, value in first} <= set(LINES)


def test_expected() -> None:
    values = [json.dumps({"line": line}).encode() for line in ("The cat, the", "Cat's \u00c9t\u00e9_1", "")]
    assert expected(values) == {"the": 2, "cat": 2, "s": 1, "\u00e9t\u00e9_1": 1}
