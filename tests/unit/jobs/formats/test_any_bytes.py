"""Any bytes are a row or malformed with a reason; hostile ones, whose cost is measured, are tested apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.formats.decoding import decode
from jobs.formats.records import Malformed
from tests.unit.jobs.formats.test_avro_hostile import LISTS
from tests.unit.jobs.formats.test_hostile_payloads import ALL

NOW_US = 1_767_261_600_000_000


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=80), st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))
    )
)
def test_of_every_format(value: bytes) -> None:
    for contract in ALL.values():
        found = decode(value, None, contract, NOW_US)
        assert not isinstance(found, Malformed) or found.reason


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_of_avro(value: bytes) -> None:
    found = decode(value, None, LISTS, NOW_US)
    assert not isinstance(found, Malformed) or (found.reason == "NOT_AVRO" and found.detail)
