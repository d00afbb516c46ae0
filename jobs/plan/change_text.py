"""Sentences about changed parameters, and their values in words."""

import re
from collections.abc import Callable
from typing import Any, Final

from jobs.base.durations import DurationTextError, parse_duration
from jobs.formats.source_paths import path_text

_UNIT: Final = re.compile(r"(\d+)(ms|us|[wdhms])")
_UNIT_WORDS: Final = {"us": "µs", "m": "min", "h": "h"}
_DURATIONS: Final = frozenset(
    (
        "grace", "delay", "size", "advance", "offset", "gap", "before", "after", "within", "retention", "ttl",
        "refresh", "trigger", "commit_interval", "for", "every",
    )
)  # fmt: skip
_LONGEST: Final = 120
_LATIN: Final = {
    "by": "groups",
    "op": "operator",
    "as": "output field",
    "on": "keys",
    "between": "time limit",
    "to": "target",
}


def duration_words(text: str) -> str:
    """``10000ms`` as ``10 s``, ``1h30m`` as ``1 h 30 min``; other texts unchanged."""
    try:
        parts = _UNIT.findall(str(parse_duration(text)))
    except DurationTextError:
        return text
    sign = "−" if text.strip().startswith("-") else ""
    return sign + " ".join(f"{count} {_UNIT_WORDS.get(unit, unit)}" for count, unit in parts)


def parameter_sentence(owner: str, name: str, was: Any, now: Any) -> str:
    """``stats: grace 2 s → 5 s.``; None: the parameter was, or is now, left out."""
    label = _LATIN.get(name, name.replace("_", " "))
    before, after = shown(name, was), shown(name, now)
    if name == "window" and _same_kind(was, now):
        before, after = (text.removeprefix(next(iter(_kinds(now)))).strip() for text in (before, after))
    if name == "by" and _names(was) and _names(now):
        return f"{owner}: {_group_words(_names(was), _names(now))}."
    if not before:
        return f"{owner}: {label} added: {after}."
    if not after:
        return f"{owner}: {label} removed (was {before})."
    return f"{owner}: {label} {before} → {after}."


def shown(name: str, value: Any) -> str:
    """A parameter's value in words, on one line, at most `_LONGEST` characters; empty when it is left out."""
    text = _shown(name, value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"


def _shown(name: str, value: Any) -> str:
    if value is None or value in ({}, []):
        return ""
    if isinstance(value, dict):
        return _OBJECT_WORDS.get(name, _member_words)(value)
    if isinstance(value, list):
        return ", ".join(_shown(name, part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return duration_words(str(value)) if name in _DURATIONS else str(value)


def _member_words(value: dict[str, Any]) -> str:
    return ", ".join(f"{key} {_shown(key, part)}" for key, part in value.items() if part is not None)


def _time_limit_words(between: dict[str, Any]) -> str:
    return f"{duration_words(between['before'])} before to {duration_words(between['after'])} after"


def _target_words(target: dict[str, Any]) -> str:
    named = (
        f", {field} as {path_text((path,) if isinstance(path, str) else path)}"
        for field, path in target.get("names", {}).items()
    )
    return (
        f"topic {target.get('topic')}{' in Avro' if target.get('format') == 'avro' else ''}{''.join(named)}"
    )


def _key_words(keys: dict[str, Any]) -> str:
    return " and ".join(f"{left} = {right}" for left, right in keys.items())


def _kinds(window: Any) -> dict[str, Any]:
    return (
        {kind: parts for kind, parts in window.items() if parts is not None}
        if isinstance(window, dict)
        else {}
    )


def _same_kind(was: Any, now: Any) -> bool:
    return bool(_kinds(was)) and _kinds(was).keys() == _kinds(now).keys()


def _window_words(window: dict[str, Any]) -> str:
    """``hopping 5 s every 1 s``, ``session with gaps of 30 s``, ``calendar day in Europe/Berlin``."""
    ((kind, parts),) = _kinds(window).items()
    said = [kind]
    for name, words in (
        ("size", "{}"),
        ("advance", "every {}"),
        ("gap", "with gaps of {}"),
        ("unit", "{}"),
        ("zone", "in {}"),
    ):
        if parts.get(name):
            said.append(words.format(_shown(name, parts[name])))
    if _is_set(parts.get("offset")):
        said.append(f"shifted by {duration_words(parts['offset'])}")
    if parts.get("day_start") not in (None, "00:00"):
        said.append(f"from {parts['day_start']}")
    if parts.get("week_start") not in (None, "monday"):
        said.append(f"weeks from {parts['week_start']}")
    return " ".join(said)


_OBJECT_WORDS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "window": _window_words,
    "between": _time_limit_words,
    "to": _target_words,
    "on": _key_words,
}


def _is_set(duration: Any) -> bool:
    try:
        return duration is not None and parse_duration(str(duration)).us != 0
    except DurationTextError:
        return True


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [name if name == text else f"{name} ({text})" for name, text in value.items()]
    return [str(name) for name in value] if isinstance(value, list) else []


def _group_words(was: list[str], now: list[str]) -> str:
    """Added and removed group keys, or that only their order changed."""
    said = [f"added group key {name}" for name in now if name not in was]
    said += [f"removed group key {name}" for name in was if name not in now]
    return ", ".join(said) or f"group keys reordered: {', '.join(now)}"
