"""The connections that a run was given."""

from contextlib import suppress

from pydantic import ValidationError

from jobs.connections import ClusterProfile
from weir.runs.models import Generation


def given_profiles(generation: Generation) -> set[ClusterProfile]:
    """The clusters of a generation's sources, as they were given to its run, without those that this version
    of Weir can't read. Nothing else that is saved of a source is read: this version may not know it.
    """
    found: set[ClusterProfile] = set()
    for source in generation.sources.values():
        with suppress(ValidationError):  # an older version has saved it
            found.add(ClusterProfile.model_validate(source["cluster"]))
    return found
