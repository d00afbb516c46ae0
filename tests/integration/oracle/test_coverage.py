"""All that random documents are said to be made of is drawn, and the page says how often."""

import pytest

from tests.oracle.coverage import DOCUMENTS, PAGE, ROWS_EACH, SEED, counted, missing, page
from tests.oracle.coverage_rows import counted_rows, missing_rows

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.mark.timeout(1_800)
def test_nothing_is_missing_and_the_page_is_up_to_date() -> None:
    found, refusals = counted(DOCUMENTS, SEED)
    rows = counted_rows(DOCUMENTS // ROWS_EACH, SEED)
    assert [*missing(found), *missing_rows(rows)] == []
    assert PAGE.read_text("utf-8") == page(DOCUMENTS, SEED, found, refusals, rows), (
        "python -m tests.oracle.coverage writes it"
    )
