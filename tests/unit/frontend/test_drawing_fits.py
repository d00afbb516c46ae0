"""What the drawing of the composer must know of which rows fit. Its own side: `fits.test.ts` in
`frontend/src/composer/drawing`.
"""

from jobs.operators import OPERATORS
from tests.support.drawing_fits import FILE, READERS, inputs, text


def test_the_table_of_what_fits_is_up_to_date() -> None:
    """If not: python -m tests.support.drawing_fits, then let `fits.ts` agree (`npm test` says where)."""
    assert FILE.read_text(encoding="utf-8") == text()


def test_every_operator_is_in_it() -> None:
    assert {READERS[reader].get("op", reader) for reader, _ in inputs()} == set(OPERATORS)
