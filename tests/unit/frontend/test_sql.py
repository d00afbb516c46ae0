"""What the SQL editor must know of the backend."""

from tests.support.reserved_words import FILE, text


def test_the_list_of_reserved_words_is_up_to_date() -> None:
    """If not: python -m tests.support.reserved_words."""
    assert FILE.read_text(encoding="utf-8") == text()
