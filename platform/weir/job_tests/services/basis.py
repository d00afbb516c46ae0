"""What the result of a test depends on, as a digest: test, job document and contracts."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from jobs.formats.contract import StreamContract
from weir.runs.models import JobVersion


def basis_of(
    test_document: Mapping[str, Any], version: JobVersion, contracts: Mapping[str, StreamContract]
) -> str:
    """A digest that changes when the test could give another result.

    Args:
        test_document: the test's.
        version: of the job.
        contracts: of the workspace, by name; those that the document doesn't read don't count.
    """
    used = {name: contracts[name].as_json() for name in read_streams(version) if name in contracts}
    told = json.dumps([test_document, version.document, used], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def read_streams(version: JobVersion) -> list[str]:
    """Names of the registered streams that a version reads."""
    named = {source.get("stream") or source.get("table") for source in version.document["sources"].values()}
    return sorted(filter(None, named))
