"""The changes between two versions of a job, in sentences, and whether stored state keeps its meaning."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jobs.base.problems import DocumentPath
from jobs.plan.change_text import parameter_sentence
from jobs.plan.draft import node_of
from jobs.plan.kept_state import empty_measures, kept_state
from jobs.plan.model import Plan

Outcome = Literal["same_state", "new_generation", "illegal"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change, with its path in the new document (of something removed: in the old one)."""

    path: DocumentPath
    sentence: str
    breaks_state: bool = False

    def as_json(self) -> dict[str, Any]:
        """The API's JSON form."""
        return {"path": list(self.path), "sentence": self.sentence, "breaks_state": self.breaks_state}


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """What an edit of a job does to its stored state.

    Attributes:
        same_state: whether the new version can continue the generation. If not, at least one change breaks
            state, unless the new version is illegal.
        changes: by section of the document.
        illegal: whether the new version has errors, so that it cannot run.
    """

    same_state: bool
    changes: tuple[Change, ...]
    illegal: bool = False

    @property
    def outcome(self) -> Outcome:
        """The diff in one word, as the API returns it."""
        if self.illegal:
            return "illegal"
        return "same_state" if self.same_state else "new_generation"


def diff(old: Plan, new: Plan, *, adapts: bool = True) -> PlanDiff:
    """Compare two plans of one job; the old one should have no errors.

    Args:
        old: the plan before.
        new: the plan after.
        adapts: state is kept, too, where measures would begin empty (`jobs.plan.kept_state`).

    Returns:
        Changes by section of the document. None of them breaks state when it can be kept, or when the new
        plan has errors: then the diff is illegal, and the plan's problems say why.
    """
    if not new.ok:
        return PlanDiff(
            False, tuple(Change(c.path, c.sentence) for c in _all_changes(old, new)), illegal=True
        )
    empty = empty_measures(kept_state(old), new) if old.ok else None
    same = empty is not None if adapts else old.fingerprint == new.fingerprint
    changes = _all_changes(old, new)
    if same:
        return PlanDiff(True, tuple(Change(c.path, c.sentence) for c in changes))
    if not any(change.breaks_state for change in changes):
        changes = _with_changed_unions(old, new, changes)
    if not any(change.breaks_state for change in changes):
        changes.append(Change((), _general_reason(old, new), breaks_state=True))
    return PlanDiff(False, tuple(changes))


def _with_changed_unions(old: Plan, new: Plan, changes: list[Change]) -> list[Change]:
    """The changes; those break state by which steps get another name that identities begin with, or unions
    list their inputs in another order.
    """
    renamed = _renamed(_json(old).get("steps", {}), _json(new).get("steps", {}))
    named = {
        reference.partition(".")[0]
        for node in old.live_nodes
        if node.output.identity_kind == "union"
        for reference in node.output.inner_layouts[0]
    }
    reasons: dict[DocumentPath, str] = {
        ("steps", name): "A union identifies rows by this name."
        for name, former in renamed.items()
        if former in named
    }
    for name, step in _json(new).get("steps", {}).items():
        was = _json(old).get("steps", {}).get(name, {})
        if step["op"] == was.get("op") == "union" and sorted(step["inputs"]) == sorted(was["inputs"]):
            reasons["steps", name, "inputs"] = "Saved rows are compared in this order."
    return [
        Change(change.path, f"{change.sentence} {reasons[change.path]}", breaks_state=True)
        if change.path in reasons
        else change
        for change in changes
    ]


def _general_reason(old: Plan, new: Plan) -> str:
    if old.state.result != new.state.result:
        return "Result keys changed."
    if old.state.queries.keys() != new.state.queries.keys():
        return "The split into queries changed."
    if old.state.exchanged_fields != new.state.exchanged_fields:
        return "The rows exchanged between the queries changed, so rows in transit couldn't be read."
    was, now = ([json.dumps(one, sort_keys=True) for one in _meanings(plan)] for plan in (old, new))
    if was != now and sorted(was) == sorted(now):
        return "Steps with state are in another order. Put them back in the former order to keep the state."
    if old.state.queries != new.state.queries:
        return "The number or order of late outputs or source reads changed."
    if old.state.copies != new.state.copies:
        return "What outputs read of a join or a change is different. State exists only for used fields."
    for name, was in old.state.stateful.items():
        now = new.state.stateful.get(name, {})
        if was["op"] == now.get("op") == "aggregate" and was["measures"] != now["measures"]:
            return (
                f"The measures of {name} that other steps use changed. State exists only for used measures."
            )
    return "These changes are incompatible with the saved state."


def _meanings(plan: Plan) -> list[Any]:
    return list(plan.state.stateful.values())


def _all_changes(old: Plan, new: Plan) -> list[Change]:
    before, after = _json(old), _json(new)
    changes = [
        Change((key,), parameter_sentence("job", key, before.get(key), after.get(key)))
        for key in ("name", "description")
        if before.get(key, "") != after.get(key, "")
    ]
    changes += _source_changes(old, new, before, after)
    changes += _step_changes(old, new, before, after)
    changes += _plain_changes(before, after, "outputs")
    changes += _settings_changes(before, after)
    return changes


def _json(plan: Plan) -> dict[str, Any]:
    return plan.document.model_dump(mode="json", by_alias=True) if plan.document else {}


def _source_changes(old: Plan, new: Plan, before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    changes: list[Change] = []
    for name in _names(before, after, "sources"):
        breaks = old.state.sources.get(name) != new.state.sources.get(name)
        changes += _named(before, after, "sources", name, breaks)
        if name in before.get("sources", {}) and name in after.get("sources", {}):
            changes += _contract_changes(old, new, name)
    return changes


def _contract_changes(old: Plan, new: Plan, name: str) -> list[Change]:
    """Changes of a registered stream's contract, which may change although the document does not."""
    was, now = old.state.sources.get(name), new.state.sources.get(name)
    if was is None or now is None or was["stream"] != now["stream"]:
        return []
    changes = []
    if was["event_time"] != now["event_time"]:
        changes.append(
            Change(("sources", name), f"Stream {now['stream']} changed its event time source.", True)
        )
    documents = (old.document, new.document)
    if was["delay"] != now["delay"] and len({d.sources[name].delay for d in documents if d is not None}) == 1:
        changes.append(
            Change(("sources", name), f"Stream {now['stream']} changed its watermark delay.", True)
        )
    # What the state has read of the stream, and what nobody could read of it now.
    if (old.state.read & old.state.made[name]) - new.state.made[name]:
        sentence = f"Stream {now['stream']} changed how its records are read."
        changes.append(Change(("sources", name), sentence, True))
    return changes


def _step_changes(old: Plan, new: Plan, before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    changes: list[Change] = []
    renamed = _renamed(before.get("steps", {}), after.get("steps", {}))
    for name, former in renamed.items():
        changes.append(Change(("steps", name), f"Step {former} renamed to {name}."))
        was, now = before["steps"][former].get("input"), after["steps"][name].get("input")
        if was != now and was != _former(now, renamed):
            sentence = parameter_sentence(name, "input", was, now)
            changes.append(Change(("steps", name, "input"), sentence, _feeds_state(new, name)))
    for name in _names(before, after, "steps"):
        if name in renamed or name in renamed.values():
            continue
        was, now = before["steps"].get(name), after["steps"].get(name)
        if was is not None and now is not None and was["op"] == now["op"]:
            changes += _parameter_changes(old, new, name, was, now)
        else:
            changes += _named(before, after, "steps", name, _step_breaks(old, new, name))
    return changes


def _renamed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """New name → former name of the steps whose name, and perhaps input, is all that changed."""
    gone = {name: _without_input(step) for name, step in before.items() if name not in after}
    renamed: dict[str, str] = {}
    for name, step in after.items():
        if name in before:
            continue
        former = next((old for old, parameters in gone.items() if parameters == _without_input(step)), None)
        if former is not None:
            renamed[name] = former
            del gone[former]
    return renamed


def _former(reference: str, renamed: Mapping[str, str]) -> str:
    """A reference of the new document with the name that its node had in the old one."""
    node = node_of(reference)
    return renamed.get(node, node) + reference.removeprefix(node)


def _without_input(step: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in step.items() if key != "input"}


def _feeds_state(plan: Plan, name: str) -> bool:
    """Whether a step, or one that reads what it gives, keeps state."""
    behind = {name}
    for node in plan.nodes:
        if not behind.isdisjoint(map(node_of, node.inputs)):
            behind.add(node.name)
    return not behind.isdisjoint(plan.state.stateful)


def _step_breaks(old: Plan, new: Plan, name: str) -> bool:
    if name in old.state.stateful or name in new.state.stateful:
        return old.state.stateful.get(name) != new.state.stateful.get(name)
    was = old.state.made.get(name, frozenset()) & old.state.read
    now = new.state.made.get(name, frozenset()) & new.state.read
    return was != now


def _parameter_changes(
    old: Plan, new: Plan, name: str, was: dict[str, Any], now: dict[str, Any]
) -> list[Change]:
    changes: list[Change] = []
    for key in dict.fromkeys((*was, *now)):
        if json.dumps(was.get(key)) == json.dumps(now.get(key)):  # texts, because the order of entries counts
            continue
        breaks = _parameter_breaks(old, new, name, key)
        if (
            key in ("measures", "fields")
            and isinstance(was.get(key), dict)
            and isinstance(now.get(key), dict)
        ):
            changes += _entry_changes(name, key, was[key], now[key], breaks)
        else:
            changes.append(
                Change(
                    ("steps", name, key), parameter_sentence(name, key, was.get(key), now.get(key)), breaks
                )
            )
    return changes


def _parameter_breaks(old: Plan, new: Plan, name: str, key: str) -> bool:
    was, now = old.state.stateful.get(name), new.state.stateful.get(name)
    if was is None or now is None:
        return _step_breaks(old, new, name)
    if key == "emit":
        modes = [list(plan.state.queries) for plan in (old, new)]
        other_mode = modes[0] != modes[1] and len(modes[0]) == len(modes[1]) == 1
        return other_mode or bool(old.state.result != new.state.result)
    if key == "time":  # of a join's pairs: it means something to what is downstream
        return _times(old) != _times(new)
    part = {"grace": "slack"}.get(key, key)
    return bool(was.get(part) != now.get(part))


def _times(plan: Plan) -> list[Any]:
    """What the event times mean that stored state depends on."""
    return [kept.get("time") for kept in (*plan.state.stateful.values(), *plan.state.exchanged_fields)]


def _entry_changes(
    step: str, section: str, was: dict[str, str], now: dict[str, str], breaks: bool
) -> list[Change]:
    changes = []
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            sentence = parameter_sentence(step, name, was.get(name), now.get(name))
            changes.append(Change(("steps", step, section, name), sentence, breaks))
    if not changes:
        changes.append(Change(("steps", step, section), f"{step}: order of {section} changed.", breaks))
    return changes


def _plain_changes(before: dict[str, Any], after: dict[str, Any], section: str) -> list[Change]:
    return [
        change
        for name in _names(before, after, section)
        for change in _named(before, after, section, name, False)
    ]


def _settings_changes(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    was, now = before.get("settings", {}), after.get("settings", {})
    return [
        Change(
            ("settings", key),
            parameter_sentence("settings", key, was.get(key), now.get(key)),
            breaks_state=key == "watermark",
        )
        for key in dict.fromkeys((*was, *now))
        if was.get(key) != now.get(key)
    ]


def _names(before: dict[str, Any], after: dict[str, Any], section: str) -> list[str]:
    return list(dict.fromkeys((*after.get(section, {}), *before.get(section, {}))))


def _named(
    before: dict[str, Any], after: dict[str, Any], section: str, name: str, breaks: bool
) -> list[Change]:
    was, now = before.get(section, {}).get(name), after.get(section, {}).get(name)
    if was == now:
        return []
    thing = section.removesuffix("s")
    path = (section, name)
    if was is None:
        return [Change(path, f"{thing.capitalize()} {name} added.", breaks)]
    if now is None:
        return [Change(path, f"{thing.capitalize()} {name} removed.", breaks)]
    if was.get("op") != now.get("op"):
        return [Change((*path, "op"), f"{name}: operator {was['op']} → {now['op']}.", breaks)]
    return [
        Change((*path, key), parameter_sentence(name, key, was.get(key), now.get(key)), breaks)
        for key in dict.fromkeys((*was, *now))
        if was.get(key) != now.get(key)
    ]
