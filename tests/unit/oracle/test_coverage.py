"""Random documents have every operator, join, window, key type and kind of name; pairs are in test-long."""

from collections import Counter

import pytest

from tests.oracle.coverage import counted, expected_features, missing
from tests.oracle.coverage_rows import counted_rows

pytestmark = pytest.mark.thorough

FEW = 300


def test_what_a_few_documents_have() -> None:
    found, _ = counted(FEW, 1)
    assert missing(found, rare=False) == []


def test_what_the_rows_of_fewer_have() -> None:
    groups = {feature.partition(":")[0] for feature in counted_rows(60, 1)}
    assert groups == {"late rows", "heartbeats", "records"}


def test_what_is_never_drawn_is_seen() -> None:
    assert missing(Counter(feature for feature in expected_features() if feature != "join: anti")) == [
        "join: anti"
    ]
