import pytest

from jobs.base.schemas import Schema, schema_from_json

FIELDS = (
    ("i", "int", True),
    ("j", "int", False),
    ("n", "long", True),
    ("d", "double", True),
    ("m", "map<string,long>", True),
    ("p", "decimal(10,2)", True),
    ("s", "string", True),
    ("w", "string", False),
    ("b", "boolean", True),
    ("c", "boolean", False),
    ("t", "timestamp", False),
    ("u", "timestamp", True),
    ("day", "date", True),
    ("y", "bytes", True),
    ("l", "array<int>", True),
    ("a", "struct<city:string,geo:struct<lat:double,lon:double>>", True),
    ("_time", "timestamp", False),
)


@pytest.fixture(scope="session")
def schema() -> Schema:
    return schema_from_json(
        [{"name": name, "type": text, "nullable": nullable} for name, text, nullable in FIELDS]
    )
