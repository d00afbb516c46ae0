"""Random documents have every operator, join, window, type of key and kind of name; neighbours take more documents (test-long)."""

from collections import Counter

from tests.oracle.coverage import counted, missing, wanted

FEW = 250


def test_what_a_few_documents_have() -> None:
    found, _ = counted(FEW, 1)
    assert missing(found, rare=False) == []


def test_what_is_never_drawn_is_seen() -> None:
    assert missing(Counter(feature for feature in wanted() if feature != "join: anti")) == ["join: anti"]
