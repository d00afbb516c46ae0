"""Pass: which fields of each source are decoded: those that are used. What is wrong in another field makes no
record malformed to the job.
"""

from jobs.formats.contract import StreamContract
from jobs.operators import OPERATORS
from jobs.plan.draft import Draft
from jobs.plan.queries import Exchange, Query


def prune_columns(draft: Draft) -> None:
    """Fill needed, exchanged_fields and used_fields.

    Used fields are those that steps and outputs read, those of the event time, and required ones, because a
    record without them is malformed.

    With contract validation a job parses all declared fields: for the validator an invalid value makes a
    record malformed even in an unused field, and job and validator must agree.
    """
    draft.needed = _needed_fields(draft) if draft.valid else {}
    draft.exchanged_fields = {
        exchange.reference: _exchanged_fields(draft, query, exchange)
        for query in draft.queries
        for exchange in query.exchange_in
    }
    if not draft.valid or draft.document.settings.contract_validation:
        for name, contract in draft.contracts.items():
            draft.used_fields[name] = contract.schema_of_rows.names
        return
    for name, contract in draft.contracts.items():
        draft.used_fields[name] = _used_fields(contract, draft.needed.get(name, frozenset()))


def _used_fields(contract: StreamContract, needed: frozenset[str]) -> tuple[str, ...]:
    wanted = needed.union(contract.event_time.read_from)
    return tuple(field.name for field in contract.fields if field.name in wanted or not field.nullable)


def _needed_fields(draft: Draft) -> dict[str, frozenset[str]]:
    """By live ``node`` or ``node.port``, the fields of its rows that something reads; an output reads all."""
    needed: dict[str, frozenset[str]] = {name: frozenset() for name in draft.live}
    for output in draft.document.outputs.values():
        needed[output.input] = frozenset(draft.relations[output.input].schema.names)
    for name in reversed(draft.live_steps()):
        for upstream, fields in zip(draft.inputs[name], reads_of(draft, name, needed), strict=True):
            relation = draft.relations[upstream]
            known = (fields | frozenset(relation.identity)) & frozenset(relation.schema.names)
            needed[upstream] = needed.get(upstream, frozenset()) | known
    return needed


def _exchanged_fields(draft: Draft, query: Query, exchange: Exchange) -> tuple[str, ...]:
    """The fields of an exchange's rows that a query's steps read, in schema order."""
    read: set[str] = set()
    for name in draft.live_steps():
        if name in query.live:
            pairs = zip(draft.inputs[name], reads_of(draft, name, draft.needed), strict=True)
            read.update(*(fields for reference, fields in pairs if reference == exchange.reference))
    return tuple(field for field in draft.relations[exchange.reference].schema.names if field in read)


def reads_of(draft: Draft, name: str, needed: dict[str, frozenset[str]]) -> tuple[frozenset[str], ...]:
    """The fields that a step reads from each of its inputs, given which of its own fields are read."""
    of_ports = {key.partition(".")[2]: needed[key] for key in (name, *draft.ports(name)) if key in needed}
    return OPERATORS[draft.document.steps[name].op].fields_read(draft.bounds[name], of_ports)
