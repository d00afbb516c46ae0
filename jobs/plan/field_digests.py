"""Digests of what the fields of a plan mean: each operator gives those of its own fields."""

from typing import Any

from jobs.base.names import is_name
from jobs.base.types import type_text
from jobs.formats.contract import StreamContract
from jobs.formats.value_meaning import value_meanings
from jobs.operators import OPERATORS
from jobs.operators.field_digests import FieldDigests, digest
from jobs.plan.draft import Draft


def digest_fields(draft: Draft) -> FieldDigests:
    """The digests of a valid draft's live nodes."""
    layouts = {
        reference: (*relation.identity_layout, *relation.listed_inputs)
        for reference, relation in draft.relations.items()
    }
    digests = FieldDigests(layouts=layouts)
    for name in draft.live_sources():
        paths, meanings = read_paths(draft.contracts[name]), value_meanings(draft.contracts[name])
        digests.fields[name] = {
            f.name: digest([name, paths.get(f.name, f.name), type_text(f.type), *meanings.get(f.name, [])])
            for f in draft.relations[name].readable
        }
    for name in draft.live_steps():
        operator, inputs = OPERATORS[draft.document.steps[name].op], draft.inputs[name]
        digests.fields[name] = operator.meanings(draft.bounds[name], digests, inputs)
        for port in draft.ports(name):
            made_here = {f.name: digest([name, port, f.name]) for f in draft.relations[port].schema}
            # branch and late ports pass the rows of their input on
            digests.fields[port] = {**made_here, **digests.fields[inputs[0]]}
    return digests


def read_paths(contract: StreamContract) -> dict[str, Any]:
    """What each declared field is read from, by field name. A field means the value at that path, whatever
    its name.

    A path of one member that could be a field name is that member's name alone, so fields that have the name
    of their member keep the digest that they had before paths existed.
    """
    found: dict[str, Any] = {}
    for read in contract.read_fields:
        first = read.path[0]
        found[read.name] = (
            first if len(read.path) == 1 and isinstance(first, str) and is_name(first) else list(read.path)
        )
        if contract.kind == "stream" and read.name in contract.key:
            found[read.name] = {"key": found[read.name]}
    return found
