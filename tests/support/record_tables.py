"""The tables of records that Python and Spark share: ``tests/golden/*_records.json``."""

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "golden"
TABLES: dict[str, dict[str, Any]] = {
    path.name.removesuffix("_records.json"): json.loads(path.read_text("utf-8"))
    for path in sorted(GOLDEN.glob("*_records.json"))
}
GROUPS = [(name, group) for name, table in TABLES.items() for group in table["groups"]]
GROUP_IDS = [f"{name}: {group['title']}" for name, group in GROUPS]


def value_of(case: dict[str, Any]) -> bytes | None:
    """The record's bytes."""
    if "value_hex" in case:
        return bytes.fromhex(case["value_hex"]).ljust(case.get("pad_to", 0))
    return None if case["value"] is None else case["value"].encode().ljust(case.get("pad_to", 0))


def key_of(case: dict[str, Any]) -> bytes | None:
    """The key's bytes; a case that says none has none."""
    if "key_hex" in case:
        return bytes.fromhex(case["key_hex"])
    key: str | None = case.get("key")
    return None if key is None else key.encode()


def headers_of(case: dict[str, Any]) -> list[tuple[str, bytes | None]]:
    """The headers, in their order; a case that says none has none."""
    return [(name, None if text is None else text.encode()) for name, text in case.get("headers", [])]


def expected_of(case: dict[str, Any]) -> dict[str, Any]:
    """The expected outcome: a reason, or a row with its time and deletion flag, or skipped."""
    if "reason" in case:
        return {"reason": case["reason"]}
    if "skipped" in case:
        return {"skipped": True}
    return {"row": case["row"], "time": case["time"], "deleted": case.get("deleted", False)}
