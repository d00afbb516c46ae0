"""Keys at random, near to what contracts ask for: objects with and without their schema beside them, lists,
bare values, texts.
"""

import json
from random import Random
from typing import Any, Final

from jobs.base.types import parse_type
from jobs.formats.contract import StreamContract
from jobs.formats.source_paths import SourcePath
from tests.support.random_records import damaged, json_value, near, object_of

_TYPES: Final = (
    "boolean", "int", "long", "string", "bytes", "timestamp", "date", "decimal(5,2)", "decimal(38,10)",
)  # fmt: skip
_PATHS: Final = (
    (("a",),),
    (("a",), ("b",)),
    (("n", "a"), ("n", "b")),
    (("payload",),),
    (("schema", "a"), ("b",)),
)
_LOOSE: Final = ("a", "b", "n", "schema", "payload")


def json_keys() -> list[StreamContract]:
    """A table by a key of each type, and tables and streams by keys of several fields in several places.
    Names of fields are unique among them all, as among those of `text_keys`.
    """
    found = [_contract(f"j{kind[:3]}{at}", "table", {}, [(kind, ("a",))]) for at, kind in enumerate(_TYPES)]
    for at, (kind, paths) in enumerate(
        zip(("table", "stream", "table", "table", "stream"), _PATHS, strict=True)
    ):
        found.append(_contract(f"p{at}", kind, {}, list(zip(("string", "long"), paths, strict=False))))
    return [*found, _contract("framed", "table", {"framing": "confluent"}, [("string", ("a",))])]


def text_keys() -> list[StreamContract]:
    """A table by a text of each type."""
    return [
        _contract(f"t{at}", "table", {"format": "text"}, [(kind, None)]) for at, kind in enumerate(_TYPES)
    ]


def _contract(
    prefix: str, kind: str, encoding: dict[str, Any], fields: list[tuple[str, SourcePath | None]]
) -> StreamContract:
    declared: list[dict[str, Any]] = [
        {"name": f"{prefix}_{number}", "type": type_, **({} if path is None else {"path": list(path)})}
        for number, (type_, path) in enumerate(fields)
    ]
    return StreamContract.model_validate(
        {
            "kind": kind,
            "key": [field["name"] for field in declared],
            "key_encoding": {"format": "json"} | encoding,
            "fields": [*declared, {"name": "v", "type": "int"}],
        }
    )


def json_key(random: Random, contract: StreamContract) -> bytes | None:
    """A key, mostly one that a contract takes."""
    if random.random() < 0.02:
        return None
    fields = [field for field in contract.fields if field.name in contract.key]
    values = [near(random, parse_type(field.type)) for field in fields]
    kind = random.random()
    if kind < 0.25:
        shown = [*values, *(json_value(random, 3) for _ in range(random.choice((0, 0, 0, 1))))]
        text = "[" + ",".join(shown[: random.choice((9, 9, 9, 1, 0))]) + "]"
    elif kind < 0.4:
        text = random.choice(values)
    else:
        text = _object(
            random, [(list(field.read_from), value) for field, value in zip(fields, values, strict=True)]
        )
        if random.random() < 0.4:
            around = [
                ("payload", text),
                ("schema", random.choice(("{}", "null", "1", json_value(random, 3)))),
            ]
            around += [("payload", text)] if random.random() < 0.1 else []
            text = object_of(random, random.sample(around, random.randint(1, len(around))))
    if random.random() < 0.03:
        deep = random.choice((62, 63, 64, 65))
        text = f'{{"a":{"[" * deep}{"]" * deep},"b":1,{text.removeprefix("{")}'
    written = damaged(random, f"{random.choice(('', '', '', ' '))}{text}".encode("utf-8", "surrogatepass"))
    is_framed = contract.key_encoding.format == "json" and contract.key_encoding.framing == "confluent"
    return b"\0\0\0\0\1" + written if is_framed and random.random() < 0.9 else written


def _object(random: Random, values: list[tuple[list[str], str]]) -> str:
    """An object in which each value is at its path; at times with other members."""
    firsts: dict[str, list[tuple[list[str], str]]] = {}
    for path, value in values:
        firsts.setdefault(path[0], []).append((path[1:], value))
    members = []
    for name, inside in firsts.items():
        whole = next((value for path, value in inside if not path), None)
        members.append((name, whole if whole is not None else _object(random, inside)))
    if random.random() < 0.2:
        members.append((random.choice(_LOOSE), json_value(random, 3)))
    return object_of(random, members)


def text_key(random: Random, contract: StreamContract) -> bytes | None:
    """A plain text, mostly of the key's type."""
    if random.random() < 0.02:
        return None
    found = near(random, parse_type(contract.fields[0].type))
    try:
        text = json.loads(found)
    except ValueError:
        text = found
    return damaged(random, (text if isinstance(text, str) else found).encode("utf-8", "surrogatepass"))
