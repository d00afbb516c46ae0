"""Which rows of a result a key may name."""

import pytest

from weir.diagnosis.services.key_scan import identity_texts


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("A", ('["A"]', "[A]")),
        ("7", ('["7"]', "[7]")),
        ('["A",7]', ('["A",7]',)),
        ('[ "A", 7 ]', ('["A",7]',)),
        ("[", ('["["]', "[[]")),
        ('["\\ud800"]', ('["[\\"\\\\ud800\\"]"]', '[["\\ud800"]]')),
    ],
)
def test_a_key_is_a_value_or_a_list_of_them(key: str, expected: tuple[str, ...]) -> None:
    assert identity_texts(key) == expected


def test_half_a_character_is_no_key() -> None:
    assert all(text.encode() for text in identity_texts('["\\ud800"]'))
