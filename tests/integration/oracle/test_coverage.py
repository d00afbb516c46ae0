"""All that random documents are said to be made of is drawn, and the page says how often."""

import pytest

from tests.oracle.coverage import DOCUMENTS, PAGE, SEED, counted, missing, page

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.mark.timeout(900)
def test_nothing_is_missing_and_the_page_is_up_to_date() -> None:
    found, refusals = counted(DOCUMENTS, SEED)
    assert missing(found) == []
    assert PAGE.read_text("utf-8") == page(DOCUMENTS, SEED, found, refusals), (
        "python -m tests.oracle.coverage writes it"
    )
