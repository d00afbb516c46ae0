from itertools import pairwise

import pytest

from jobs.expressions.regex_states import TooManyStates, states_of
from jobs.expressions.regex_tree import parse_regex


def states(pattern: str, max_states: int = 10_000, work: int = 10_000_000) -> int:
    return states_of(parse_regex(pattern), max_states, work)


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("abc", 7),  # forwards the start, a, ab and the match; backwards c and what is before it
        ("^abc", 8),
        ("a|b", 4),
    ],
)
def test_short_patterns_have_a_state_for_each_place_and_few_more(pattern: str, count: int) -> None:
    assert abs(states(pattern) - count) <= 3


def test_states_double_with_each_character_behind_one_that_may_be_anywhere() -> None:
    """The automaton must remember where each `a` was: the example of every textbook."""
    counts = [states(f"[ab]*a[ab]{{{times}}}c") for times in (3, 4, 5, 6, 7)]
    assert all(1.7 < later / before < 2.3 for before, later in pairwise(counts[1:])), counts


def test_states_of_what_begins_at_one_place_grow_with_the_pattern() -> None:
    assert states("^a{150}$") < 2 * states("^a{75}$") + 5
    assert states("^[ab]{0,90}$") < 300


@pytest.mark.parametrize("limits", [{"max_states": 100}, {"work": 1_000}])
def test_a_limit_ends_the_count(limits: dict[str, int]) -> None:
    with pytest.raises(TooManyStates):
        states("[ab]*a[ab]{40}c", **limits)


def test_what_stands_behind_an_end_of_the_text_leads_nowhere() -> None:
    assert states("a$b{50}") < 80
    assert states("(?:a^b|c){1,3}") < 60
