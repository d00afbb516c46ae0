"""The connections that a run was given."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from jobs.connections import ClusterProfile
from jobs.kafka_messages import BoundSource
from weir.clusters.models import HOME
from weir.clusters.services.clients import home_profile
from weir.runs.models import Generation


def given_profile(source: Mapping[str, Any]) -> ClusterProfile:
    """The connection to the cluster of a generation's source, as it was given to its run; to the home cluster
    the present one, which engines use as well: its address may have changed since.

    Args:
        source: as the generation keeps it.

    Raises:
        KeyError: nothing is saved of the cluster.
        ValidationError: an older version of Weir has saved it, and this one can't read it.
    """
    return _at_home(ClusterProfile.model_validate(source["cluster"]))


def given_source(source: Mapping[str, Any]) -> BoundSource:
    """A generation's source, with the connection of `given_profile`.

    Args:
        source: as the generation keeps it.

    Raises:
        ValidationError: an older version of Weir has saved it, and this one can't read it.
    """
    found = BoundSource.model_validate(source)
    return found.model_copy(update={"cluster": _at_home(found.cluster)})


def given_profiles(generation: Generation) -> set[ClusterProfile]:
    """The connections to the clusters of a generation's sources (`given_profile`), without those that this
    version of Weir can't read. Nothing else that is saved of a source is read: this version may not know it.
    """
    found: set[ClusterProfile] = set()
    for source in generation.sources.values():
        with suppress(ValidationError):  # an older version has saved it
            found.add(given_profile(source))
    return found


def _at_home(profile: ClusterProfile) -> ClusterProfile:
    return home_profile() if profile.cluster_id == HOME else profile
