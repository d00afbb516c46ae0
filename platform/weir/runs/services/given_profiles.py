"""The connections that a run was given."""

from jobs.connections import ClusterProfile
from weir.runs.models import Generation


def given_profiles(generation: Generation) -> set[ClusterProfile]:
    """The clusters of a generation's sources, as they were given to its run. Nothing else that is saved of a
    source is read: this version of Weir may not know it.
    """
    return {ClusterProfile.model_validate(source["cluster"]) for source in generation.sources.values()}
