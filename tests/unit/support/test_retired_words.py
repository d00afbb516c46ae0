from tests.support.retired_words import found


def test_a_retired_word_is_found_in_identifiers_of_every_style() -> None:
    text = "class RunKeeper:\n    keeper_of = 1\n    GUARD = 2\n\nconst runVerdict = 3; // a verdict\n"
    assert [*found(text)] == [(1, "keeper"), (2, "keeper"), (3, "guard"), (5, "verdict"), (5, "verdict")]


def test_words_that_only_hold_one_are_none() -> None:
    assert [*found("bookkeeper = guarded = stretched\n")] == []
