"""Random documents have every operator, join, window, key type and kind of name; pairs are in test-long."""

from collections import Counter

import pytest

from tests.oracle.coverage import counted, expected_features, missing

pytestmark = pytest.mark.thorough

FEW = 300


def test_what_a_few_documents_have() -> None:
    found, _ = counted(FEW, 1)
    assert missing(found, rare=False) == []


def test_what_is_never_drawn_is_seen() -> None:
    assert missing(Counter(feature for feature in expected_features() if feature != "join: anti")) == [
        "join: anti"
    ]
