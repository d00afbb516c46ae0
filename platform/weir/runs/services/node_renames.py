"""Which nodes of a job's drawing one document calls otherwise than the one before it."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

_SECTIONS: Final = ("sources", "steps", "outputs")


def node_names(document: Mapping[str, Any]) -> set[str]:
    """The nodes of a document as the drawing names them: outputs have a space of names of their own."""
    return {_node(section, name) for section in _SECTIONS for name in document.get(section) or {}}


def renamed_nodes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """New names of nodes by their old ones.

    Args:
        before: a valid document as JSON values.
        after: the document that replaces it.

    Returns:
        Pairs of a node that is gone and one that came which are defined alike but for the names they read,
        where no other is; and the last two of a section if both do the same kind of work.
    """
    found: dict[str, str] = {}
    for section in _SECTIONS:
        old, new = before.get(section) or {}, after.get(section) or {}
        gone = {name: old[name] for name in old if name not in new}
        came = {name: new[name] for name in new if name not in old}
        pairs = _alike(gone, came, _changed_names(before, after))
        rest = (
            [name for name in gone if name not in pairs],
            [name for name in came if name not in pairs.values()],
        )
        if [len(names) for names in rest] == [1, 1] and _work(gone[rest[0][0]]) == _work(came[rest[1][0]]):
            pairs[rest[0][0]] = rest[1][0]
        found |= {_node(section, was): _node(section, now) for was, now in pairs.items()}
    return found


def _node(section: str, name: str) -> str:
    return f"output:{name}" if section == "outputs" else name


def _changed_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """Names of sources and steps that only one of the documents has."""
    names = [
        {name for section in _SECTIONS[:2] for name in one.get(section) or {}} for one in (before, after)
    ]
    return names[0] ^ names[1]


def _alike(gone: Mapping[str, Any], came: Mapping[str, Any], names: set[str]) -> dict[str, str]:
    old, new = _by_definition(gone, names), _by_definition(came, names)
    return {old[text][0]: new[text][0] for text in old if len(old[text]) == len(new.get(text, ())) == 1}


def _by_definition(nodes: Mapping[str, Any], names: set[str]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, definition in nodes.items():
        found[json.dumps(_without(definition, names), sort_keys=True)].append(name)
    return found


def _without(value: Any, names: set[str]) -> Any:
    """A definition with every reference to one of these names made the same."""
    if isinstance(value, Mapping):
        return {key: _without(one, names) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_without(one, names) for one in value]
    return "" if isinstance(value, str) and value.partition(".")[0] in names else value


def _work(definition: Any) -> Any:
    """What a node is: a step's operator, where an output goes, a stream or a table."""
    if not isinstance(definition, Mapping):
        return None
    return definition.get("op") or definition.get("to") or sorted(definition)
