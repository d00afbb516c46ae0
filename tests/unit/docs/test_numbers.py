"""Limits that pages state in numbers are those of the code.

A row is a part of a page's sentence, written with the constants that make it true. One that is not found
means that a constant has changed, or the sentence: make them agree.
"""

from pathlib import Path
from typing import Final

import pytest
from django.conf import settings

from jobs.base import types
from jobs.document import MAX_OUTPUTS, MAX_SOURCES, MAX_STEPS
from jobs.document_parts import MIN_CATCH_UP_FROM, Settings
from jobs.engine import asks, backlog, broadcast_refresh, line_budget
from jobs.engine.exchange_rows import WATERMARK_MARGIN_MS
from jobs.expressions import regex_safety, size_bound
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.functions.strings import MAX_REPLACED_BYTES
from jobs.formats import (
    avro_byte_checks,
    avro_defaults,
    avro_resolution,
    contract_check,
    json_schema,
    malformed_reasons,
    member_limit,
)
from jobs.job_tests import document as job_tests
from jobs.operators import aggregate, broadcast, windows
from jobs.operators.output_fields import MAX_FIELDS
from jobs.plan.model import PlanningContext
from jobs.plan.pipeline import MAX_WORK
from jobs.run_states import HEARTBEAT_INTERVAL_S, SILENT_AFTER_US, UNREAD_AFTER_US
from weir import retention
from weir.alerts.services import group_values, row_evaluation
from weir.alerts.services.book import MAX_OPEN
from weir.consumer_groups.services import cluster_pass, cluster_reader, partition_track
from weir.dashboards.services import dashboards, panels, share_links
from weir.dashboards.services import document as dashboard_form
from weir.diagnosis.services import key_scan
from weir.diagnosis.services.source_reader import SAMPLE_RECORDS
from weir.impact.services import subjects
from weir.job_tests.services.runs import MAX_LIVE_RUNS
from weir.live import catch_up, connection, consumer, requests, rights_monitor, tail_view
from weir.live.alerts_channel import MAX_LISTED
from weir.live.result_subscription import EVERY_CAP
from weir.preview.services import preview, samples
from weir.project import body_limit
from weir.results.services.queries import COUNTED_ROWS, PAGE_CHARACTERS, SNAPSHOT_CHARACTERS
from weir.runs.services import engine_hosts, overload, restart_policy
from weir.runs.services.engine_memory import OUTSIDE_HEAP_MB
from weir.runs.services.planning import CHECK_TIMEOUT_S
from weir.schemas.services.levels import MAX_CPU_S
from weir.streams.services import decoding, export, record_filter, record_json, scan
from weir.workspaces.api.base_view import REQUESTS, SCANS

ROOT: Final = Path(__file__).parents[3]
_MIB: Final = 1 << 20
_S: Final = 1_000_000  # µs
_WORDS: Final = {2: "two", 8: "eight", 10: "ten"}
_RATES: Final = settings.RATES_PER_MINUTE
_POINTS: Final = sum(kept_us // (span * _S) for span, kept_us in retention.METRIC_HISTORY.items())
_CONTEXT: Final = PlanningContext()

STATED: Final = {
    "docs/protocol.md": [
        f"A client's frame has at most {requests.MAX_FRAME >> 10} KiB",
        f"0 to 60000, default {requests.DEFAULT_INTERVAL_MS}: at most one delta",
        f"0 to {requests.MAX_ROWS}, default {requests.DEFAULT_ROWS}: rows of a snapshot",
        f"counts the stored rows up to {COUNTED_ROWS:,}",
        f"than fit into {SNAPSHOT_CHARACTERS // _MIB} MiB",
        f"({retention.RESULT_TOMBSTONE_RETENTION_MS // 3_600_000} h): a deletion might be missed",
        f"as long as less than {EVERY_CAP >> 10} KiB wait",
        f"sent nothing for {SILENT_AFTER_US // _S} s; or reports could not be read for "
        f"{UNREAD_AFTER_US // _S} s",
        f"lists the newest {MAX_LISTED} alerts that fire",
        f"larger than {tail_view.DECODED_BYTES >> 10} KiB or the frame",
        f"evaluated on at most {tail_view.EVALUATED_PER_SECOND:,} records a second",
        f"more than {consumer.MAX_SUBSCRIPTIONS} subscriptions, {consumer.MAX_REQUESTS} frames in "
        f"{consumer.REQUESTS_WINDOW_S:.0f} s, or {consumer.MAX_CONNECTIONS_PER_USER} connections of one "
        f"user and process "
        f"({consumer.MAX_CONNECTIONS_PER_LINK} of one link)",
        f"more than {connection.SOFT_CAP // _MIB} MiB waited while the client did not read for "
        f"{connection.STALL_TIMEOUT_S:.0f} s, more than {connection.HARD_CAP // _MIB} MiB waited, or a "
        f"single send took "
        f"{connection.SEND_TIMEOUT_S:.0f} s",
        f"more than {consumer.MAX_BAD_FRAMES} frames in a minute",
        f"Permissions are checked every {rights_monitor.CHECK_INTERVAL_S:.0f} s",
        f"can't be read for {rights_monitor.MAX_BLIND_S:.0f} s",
        f"not even the last frame within {connection.CLOSE_TIMEOUT_S:.0f} s",
    ],
    "docs/security.md": [
        f"A request body has {body_limit.MAX_BODY // _MIB} MiB at most",
        f"thrown away, {body_limit.MAX_DISCARDED // _MIB} MiB and {body_limit.DISCARD_TIMEOUT_S:.0f} s "
        f"at most",
        f"{_RATES['sign-in']} attempts a minute and address to sign in, {_RATES['sign-in-link']} sign-in "
        f"links a minute and address, "
        f"{_RATES['token']} new tokens and {_RATES['ticket']} tickets a minute and person",
        f"after {settings.AXES_FAILURE_LIMIT} for one account from one address",
        f"A person may try {_RATES['stream']} a minute",
        f"bounded to {_RATES['cluster-test']} a minute and person",
        f"Creating and trying channels: {_RATES['channel-test']} a minute and person",
        f"an address may ask {_RATES['share-link']} times a minute",
        f"A link expires after {retention.SHARE_LINK_MAX_DAYS} days at most",
        f"before {retention.EVENT_RETENTION.days} days are over",
        f"`days` (default {retention.API_TOKEN_DEFAULT_DAYS}, `null`: never)",
        f"of {regex_safety.MAX_STATES:,} states at most",
        f"{MAX_WORK:,} units of work and {CHECK_TIMEOUT_S:.0f} s of processor time",
        f"newest versions, of {subjects.MAX_CHARACTERS:,} characters together",
        f"{MAX_CPU_S:.0f} s for all versions that a level compares",
        f"{MAX_OPEN} open alerts a rule, each with values of its group of {group_values.MAX_CHARACTERS} "
        f"characters and {row_evaluation.MAX_ROW_CHARACTERS:,} characters of a row",
        f"{record_filter.MAX_WORK:,} characters made",
        f"{record_filter.MAX_CPU_S} s of processor time, looked at before each call",
        f"{decoding.MAX_VALUES:,} elements and members and {decoding.MAX_CPU_S} s of processor time",
        f"{json_schema.MAX_COST:,} parts of the schema, {json_schema.MAX_WORK:,} times values",
        f"{scan.MAX_RECORDS:,} records, {scan.MAX_BYTES // _MIB} MiB (64 MiB when asked for), "
        f"{scan.TIMEOUT_S:.0f} s",
        f"An export: {export.MAX_EXPORT_RECORDS:,} records and {export._TIMEOUT_S} s",
        f"{record_json.MAX_CHARS:,} characters; longer is not shown so",
        f"{decoding.SHOWN_HEADERS} of {decoding.HEADER_BYTES >> 10} KiB in lists and tails, "
        f"{decoding.ALL_HEADERS:,} of "
        f"{decoding.SHOWN_BYTES >> 10} KiB",
        f"{PAGE_CHARACTERS // _MIB} MiB, {SNAPSHOT_CHARACTERS // _MIB} MiB; a catch-up read of a cursor "
        f"{catch_up.MAX_BYTES // _MIB} MiB and {catch_up.MAX_S:.0f} s",
        f"{REQUESTS._per_person} requests, of which {SCANS._per_person} read topics",
        f"{REQUESTS._waiting} more wait",
        f"{MAX_REPLACED_BYTES // _MIB} MiB of a `replace`, {size_bound.MAX_VALUE_BYTES // _MIB} MiB of "
        f"any part of an "
        f"expression, {size_bound.MAX_ROW_BYTES // _MIB} MiB of a row",
        f"{job_tests.MAX_BATCHES} batches, {job_tests.MAX_RECORDS:,} records and "
        f"{job_tests.MAX_EXPECTED:,} expected rows",
        f"Bounds: {samples.MAX_RECORDS:,} records, {samples.MAX_BYTES:,} bytes, {preview.ROWS} rows and "
        f"{preview.ROW_BYTES:,} bytes per step",
        f"One person may hold {consumer.MAX_CONNECTIONS_PER_USER} connections",
        f"One link may hold {consumer.MAX_CONNECTIONS_PER_LINK} connections",
    ],
    "docs/semantics/types.md": [
        f"at most {types.MAX_DEPTH} levels deep and {types.MAX_TEXT:,} characters long",
        f"types of a contract have {contract_check.MAX_TYPES_CHARS:,} characters together",
        f"{MAX_SOURCES} sources, {MAX_OUTPUTS} outputs, {MAX_STEPS} steps, {MAX_FIELDS} fields per row, "
        f"{aggregate.MAX_MEASURES} measures and {aggregate.MAX_KEYS} keys per step",
    ],
    "docs/semantics/windows.md": [
        f"⌈size / advance⌉ ≤ {windows.MAX_FANOUT} (`WINDOW_FANOUT`, a warning above {windows.WIDE_FANOUT})",
    ],
    "docs/semantics/expressions.md": [
        f"multiply what they read by more than {size_bound.MAX_SIZE_FACTOR:,} are refused",
        f"`sequence` gives at most {MAX_SEQUENCE:,} values",
    ],
    "docs/semantics/errors-and-nulls.md": [
        f"has more than {MAX_REPLACED_BYTES // _MIB} MiB",
        f"more than {size_bound.UNCHECKED_FACTOR} times what it reads",
        f"could have more than {size_bound.MAX_VALUE_BYTES // _MIB} MiB",
        f"have more than {size_bound.MAX_ROW_BYTES // _MIB} MiB",
    ],
    "docs/semantics/records-and-formats.md": [
        "the first in the order of the tests: "
        + ", ".join(f"`{reason}`" for reason in malformed_reasons.REASONS),
        f"a value above {malformed_reasons.MAX_BYTES:,} bytes, an Avro record with more than "
        f"{avro_byte_checks.MAX_ITEMS:,} items",
        f"have more than {member_limit.MAX_MEMBERS:,} members together",
        f"JSON nested deeper than {malformed_reasons.MAX_DEPTH}",
        f"in more than {avro_resolution.MAX_STEPS:,} steps",
        f"become more than {avro_defaults.MAX_DEFAULT_VALUES:,} values together",
        f"take more than {avro_defaults.MAX_CHECKS:,} checks",
    ],
    "docs/semantics/queries-and-modes.md": [
        f"at most {_CONTEXT.run_limit:,.0f} a second for the job and {_CONTEXT.engine_limit:,.0f} for its",
        f"where it would give {backlog.DRAINED_ROWS:,} rows or more, or has `catch_up_from` records",
        f"and at least {backlog.DRAINED_FROM:,} (with a changing table",
        f"more than `catch_up_from` records ({Settings().catch_up_from:,} by default)",
        f"or by {MIN_CATCH_UP_FROM:,} that take it a minute",
        f"its W, less {WATERMARK_MARGIN_MS} ms",
    ],
    "docs/semantics/table-join.md": [
        f"max_rows ({broadcast.MAX_ROWS:,})",
        f"({broadcast.MIN_REFRESH.us // 1_000_000} s or more)",
        f"has not rested for {broadcast_refresh.MAX_DEFERRAL_S:.0f} s is interrupted",
    ],
    "docs/reference/preview.md": [
        f"{samples.MAX_RECORDS:,} of all sources, {samples.MAX_BYTES:,} bytes",
        f"{preview.ROWS}, and {preview.ROW_BYTES:,} bytes",
        f"{preview.PLAY_S:.0f} s; {asks.BUSY_SECONDS:.0f} s on an engine that has runs",
        f"one per engine, {_WORDS[asks.MAX_WAITING]} wait",
    ],
    "docs/reference/logs.md": [
        f"the newest {retention.LOG_LINES_PER_RUN:,} lines and {retention.LOG_SIZE_PER_RUN // _MIB} MiB "
        f"of a run, for "
        f"{retention.LOG_LINE_RETENTION.days} days",
        f"{line_budget.BURST} lines of a run at once, then {line_budget.PER_SECOND:.0f} a second",
    ],
    "docs/reference/engines.md": [
        f"its heap and {OUTSIDE_HEAP_MB} MiB",
        f"asked every {_WORDS[engine_hosts.ASKED_EVERY.seconds]} seconds",
        f"{overload.FULL_SHARE:.0%} of the cores".replace("%", " %"),
        f"for longer than {restart_policy.MAX_TRIAL.seconds} s, leaves the trial",
    ],
    "docs/reference/consumer-groups.md": [
        f"watches each cluster every {cluster_pass.INTERVAL_S:.0f} s",
        f"{cluster_reader.MAX_GROUPS:,} groups of a cluster are watched",
        f"with {cluster_reader.MAX_PARTITIONS:,} committed partitions in all",
        f"{_POINTS:,} rows for each topic of a group at most",
        f"remembers the last {partition_track.MAX_COMMITS} commits",
    ],
    "docs/reference/dashboards.md": [
        f"A workspace has {dashboards.MAX_DASHBOARDS} dashboards at most, a dashboard "
        f"{dashboard_form.MAX_PANELS} panels, {dashboard_form.MAX_BYTES >> 10} KiB and "
        f"{share_links.MAX_LINKS} links",
        f"with {panels.COLUMNS} columns",
    ],
    "docs/reference/diagnosis.md": [
        f"the newest {SAMPLE_RECORDS} records of each source",
        f"{key_scan.KEY_RECORDS:,} of all sources together and {key_scan.KEY_BYTES // _MIB} MiB and "
        f"{key_scan.KEY_SECONDS:.0f} s of each",
    ],
    "docs/reference/job-tests.md": [
        f"A test has {job_tests.MAX_RECORDS:,} records and {job_tests.MAX_EXPECTED:,} expected rows at most",
        f"1 to {job_tests.MAX_BATCHES}; each is one batch",
        f"A workspace may have {MAX_LIVE_RUNS} runs of saved tests",
    ],
    "docs/reference/alerts.md": [
        f"more than {group_values.MAX_CHARACTERS} characters stands in its alert with the first "
        f"{group_values.SHOWN_CHARACTERS} and a digest",
        f"one rule and one row | {row_evaluation.MAX_CPU_S} s, {row_evaluation.MAX_WORK:,} units of work",
    ],
    "docs/architecture.md": [
        f"once that is {retention.SUPERSEDED_RETENTION.seconds // 60} min old and the former run has stopped",
        f"({restart_policy.MAX_CRASHES} in {restart_policy.CRASH_SPAN.seconds // 60} min, then failed",
        f"a heartbeat every {_WORDS[int(HEARTBEAT_INTERVAL_S)]} seconds",
        f"{_POINTS:,} rows a series at most",
        f"A run keeps its newest {retention.LOG_LINES_PER_RUN:,} log lines for "
        f"{retention.LOG_LINE_RETENTION.days} days",
        f"deleted after {retention.DEAD_LETTER_RETENTION_MS // 86_400_000} days, on the topic's own cluster",
    ],
}


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, texts in STATED.items() for text in texts])
def test_a_page_states_the_number_of_the_code(page: str, text: str) -> None:
    assert text
    assert " ".join(text.split()) in " ".join((ROOT / page).read_text("utf-8").split())
