"""What every field means, traced back to the sources: one digest per field, so that names and order of steps
do not matter.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jobs.base.types import type_text
from jobs.expressions import Expression
from jobs.operators.relation import IdentityLayout

_COLUMN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\.`[^`]*`|`([A-Za-z_][A-Za-z0-9_]*)`")
"""A field's name in a checked text, or what only looks like one: part of a literal, or a struct's member."""


def digest(value: Any) -> str:
    """The first 128 bits of a JSON value's SHA-256, in hexadecimal."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass
class FieldDigests:
    """Digests of fields by reference (``node`` or ``node.port``) and name, and the digests that each was
    computed from; by reference also the layout of the rows' identities, as far as row order depends on it.
    `chosen_times` are the digests of event times that a join's `time` chooses.
    """

    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    layouts: dict[str, IdentityLayout] = field(default_factory=dict)
    parents: dict[str, frozenset[str]] = field(default_factory=dict)
    chosen_times: set[str] = field(default_factory=set)

    def of_expression(self, node: str, expression: Expression) -> str:
        """The digest of an expression over a node's output: its canonical text with each field replaced by
        the field's digest, and its type. An expression that is just a field has the field's digest.
        """
        inputs = self.fields[node]
        if expression.canonical.strip("`") in expression.fields:
            return inputs[expression.canonical.strip("`")]
        made = digest([over_meanings(expression, inputs), type_text(expression.type)])
        self.parents[made] = frozenset(inputs[name] for name in expression.fields)
        return made

    def chosen_time(self, node: str) -> str | None:
        """The digest of a node's event time where a join's `time` upstream makes it another than by default;
        else None, as the sources' event-time rules then say all of it.
        """
        time = self.fields[node].get("_time")
        return time if time is not None and self.closure({time}) & self.chosen_times else None

    def closure(self, digests: set[str]) -> frozenset[str]:
        """These digests and, transitively, all that they were computed from."""
        reached: set[str] = set()
        rest = list(digests)
        while rest:
            one = rest.pop()
            if one not in reached:
                reached.add(one)
                rest += self.parents.get(one, ())
        return frozenset(reached)


def over_meanings(expression: Expression, meanings: Mapping[str, str]) -> str:
    """The expression's canonical text with every field replaced by its meaning; struct members and literals
    stay unchanged.
    """

    def replaced(found: re.Match[str]) -> str:
        return f"`{meanings.get(found[1], found[1])}`" if found[1] else found[0]

    return _COLUMN.sub(replaced, expression.canonical)


def same_meanings(bound: object, digests: FieldDigests, inputs: tuple[str, ...]) -> dict[str, str]:  # noqa: ARG001
    """The step's fields mean what they mean in its first input."""
    return dict(digests.fields[inputs[0]])
