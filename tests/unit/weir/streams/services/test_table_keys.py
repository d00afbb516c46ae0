"""Keys as people write them."""

from datetime import date
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from weir.streams.services.table_keys import given_key, key_of, key_text
from weir.workspaces.errors import ServiceError


def table(key: dict[str, str], **more: Any) -> StreamContract:
    fields = [{"name": name, "type": kind} for name, kind in {**key, "value": "string"}.items()]
    return StreamContract.model_validate({"kind": "table", "key": list(key), "fields": fields, **more})


TEXT, NUMBER, DAY, PAIR = (
    table({"k": "string"}),
    table({"k": "long"}),
    table({"k": "date"}),
    table({"a": "string", "b": "int"}),
)


@pytest.mark.parametrize(
    ("contract", "text", "key"),
    [
        (TEXT, "plain", ("plain",)),
        (TEXT, '"quoted"', ("quoted",)),
        (TEXT, '{"k":"x"}', ("x",)),
        (TEXT, "7", ("7",)),
        (TEXT, "{", ("{",)),
        (NUMBER, "7", (7,)),
        (NUMBER, "[7]", (7,)),
        (DAY, "2026-01-31", (date(2026, 1, 31),)),
        (PAIR, '["x",1]', ("x", 1)),
        (PAIR, '{"b":1,"a":"x","c":2}', ("x", 1)),
    ],
)
def test_keys_as_people_write_them(contract: StreamContract, text: str, key: tuple[Any, ...]) -> None:
    assert given_key(text, contract) == key
    assert given_key(key_text(key), contract) == key


@pytest.mark.parametrize(
    ("contract", "text"),
    [(NUMBER, "x"), (NUMBER, "1.5"), (NUMBER, "null"), (PAIR, "x"), (PAIR, '["x"]'), (PAIR, '["x",null]')],
)
def test_what_is_no_key_says_what_one_is(contract: StreamContract, text: str) -> None:
    with pytest.raises(ServiceError) as refused:
        given_key(text, contract)
    assert refused.value.code == "KEY_INVALID"
    assert all(name in refused.value.detail for name in contract.key)


def test_keys_of_records_are_read_as_the_contract_says() -> None:
    texts = table({"k": "long"}, key_encoding={"format": "text"})
    assert key_of(b"7", texts, None) == (7,)
    assert key_of(b"x", texts, None) is None
    assert key_of(None, texts, None) is None
