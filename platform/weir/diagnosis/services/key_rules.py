"""Causes that concern one key: no record has it, or the result has its row."""

from weir.diagnosis.services.evidence import Evidence
from weir.diagnosis.services.finding import Fact, Finding, amount, count, instant, since, text
from weir.diagnosis.services.row_paths import gives_rows
from weir.diagnosis.services.source_facts import KeyScan, SourceFacts


def has_row(evidence: Evidence) -> Finding | None:
    """The result has a row of the key."""
    written = evidence.result.key_row_us
    if not evidence.key or written is None:
        return None
    return Finding(
        "KEY_HAS_ROW",
        "The result has a row with this key",
        "If you don't see it, look at the filters of the page.",
        ("output", ""),
        facts=(text("Key", evidence.key), instant("Row written", written)),
        waits=True,
    )


def not_seen(evidence: Evidence) -> Finding | None:
    """No record of the key was found in a source that the output needs."""
    scanned = [(source, source.key_scan) for source in evidence.sources if source.key_scan is not None]
    seen = {source.name for source, scan in scanned if scan.found}
    for source, scan in scanned:
        if scan.found or gives_rows(evidence.plan, evidence.reference, {source.name}):
            continue
        if not seen or (scan.partners & seen and (scan.complete or not source.is_table)):
            return _not_seen(evidence, source, scan, f" of {source.topic}" if seen else "")
    if scanned and not seen:
        return _not_seen(evidence, *scanned[0])
    return None


def _not_seen(evidence: Evidence, source: SourceFacts, scan: KeyScan, of: str = "") -> Finding:
    fields = ", ".join(scan.fields)
    title = f"No record{of} has this key"
    what = f"{source.topic} has {amount(scan.read, 'record')}, and none has it in {fields}."
    if not scan.complete:
        title = f"No recent record{of} has this key"
        what = (
            f"None of the newest {scan.read:,} of about {amount(source.retained, 'record')} of "
            f"{source.topic} has it in {fields}. Older ones weren't looked at."
        )
    facts: list[Fact] = [
        text("Key", evidence.key),
        text("Topic", source.topic),
        text("Looked for in", fields),
        count("Records scanned", scan.read),
        count("Records in the topic, about", source.retained),
        *since("Oldest record scanned", scan.oldest_us),
    ]
    if scan.malformed:
        facts.append(count("Malformed records with this record key", scan.malformed))
    if scan.too_large:
        facts.append(count("Records too large to look into", scan.too_large))
    if scan.near:
        facts.append(text("A similar key that is there", scan.near))
    return Finding(
        "KEY_NOT_SEEN",
        title,
        what,
        ("source", source.name),
        "Compare the writing of the key with the similar one."
        if scan.near
        else "Check that the producer sends this key, and how it is written.",
        tuple(facts),
        "sample",
    )
