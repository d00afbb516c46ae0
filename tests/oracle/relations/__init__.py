"""Metamorphic relations: two documents with equal results, which needs no second computation of them."""

from dataclasses import dataclass
from random import Random

from tests.oracle.cases import Case
from tests.oracle.relations.batches_recut import batches_recut
from tests.oracle.relations.field_unused import field_unused
from tests.oracle.relations.fields_renamed import fields_renamed
from tests.oracle.relations.fields_reordered import fields_reordered
from tests.oracle.relations.step_neutral import (
    all_filtered,
    all_selected,
    renamed_and_back,
    united_with_nothing,
)
from tests.oracle.relations.step_unused import step_unused
from tests.oracle.relations.steps_renamed import steps_renamed
from tests.oracle.relations.variants import Relation
from tests.oracle.relations.written_as_changes import written_as_changes
from tests.oracle.relations.written_back import written_back

RELATIONS: dict[str, Relation] = {
    "fields renamed": fields_renamed,
    "fields reordered": fields_reordered,
    "field unused": field_unused,
    "step unused": step_unused,
    "all selected": all_selected,
    "all filtered": all_filtered,
    "renamed and back": renamed_and_back,
    "written back": written_back,
    "united with nothing": united_with_nothing,
    "steps renamed": steps_renamed,
    "batches recut": batches_recut,
    "written as changes": written_as_changes,
}
AT_LEAST = 3


@dataclass(frozen=True)
class Variant:
    """A case changed by several relations, one after the other.

    Attributes:
        case: with the answer that the first case's answer says.
        relations: names of those that were applied, in order.
    """

    case: Case
    relations: tuple[str, ...]


def variant_of(case: Case, seed: int, among: dict[str, Relation] = RELATIONS) -> Variant:
    """The case under the first applicable relations, in the seed's order; `AT_LEAST` of them if possible."""
    random = Random(seed)
    applied: list[str] = []
    for name in random.sample(list(among), len(among)):
        if len(applied) < AT_LEAST and (made := among[name](case, random)) is not None:
            case, applied = made, [*applied, name]
    return Variant(case, tuple(applied))


def one_by_one(case: Case, variant: Variant, seed: int) -> list[Variant]:
    """The case under each applicable relation of a variant alone, to find the one that changes results."""
    alone = [variant_of(case, seed, {name: RELATIONS[name]}) for name in variant.relations]
    return [made for made in alone if made.relations]
