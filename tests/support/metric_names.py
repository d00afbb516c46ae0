"""Rules for names of metrics, as `promtool check metrics` has them.

Source: the linter that promtool uses, package ``prometheus/testutil/promlint`` of
https://github.com/prometheus/client_golang (its validations), and
https://prometheus.io/docs/practices/naming/. The rules are written in our own words; those for histograms and
summaries ask only that no other kind looks like one.
"""

import re
from collections.abc import Iterator
from typing import Final

from prometheus_client import Metric

_BASE_UNITS: Final = (
    "seconds",
    "bytes",
    "meters",
    "metres",
    "grams",
    "joules",
    "volts",
    "amperes",
    "celsius",
)
_PREFIXES: Final = (
    "pico", "nano", "micro", "milli", "centi", "deci", "deca", "hecto", "kilo", "kibi", "mega", "mibi",
    "mebi", "giga", "gibi", "tera", "tebi", "peta", "pebi",
)  # fmt: skip
_OTHER_UNITS: Final = {
    "minutes": "seconds", "hours": "seconds", "days": "seconds", "weeks": "seconds", "bits": "bytes",
    "percent": "ratio", "percents": "ratio",
}  # fmt: skip
_ABBREVIATIONS: Final = frozenset(
    ("s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d")
)
_TYPES: Final = ("counter", "gauge", "histogram", "summary", "untyped")
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_LABEL: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
# Prometheus sets these itself when it scrapes; a metric's own would become `exported_…`.
_TAKEN_LABELS: Final = frozenset({"job", "instance", "le", "quantile"})


def name_faults(family: Metric) -> list[str]:
    """What is wrong with a metric, a sentence each; its name is the one behind ``# TYPE``."""
    name = family.name + "_total" if family.type == "counter" else family.name
    return [f"{name}: {fault}" for fault in [*_in_general(name, family), *_units(name), *_labels(family)]]


def _in_general(name: str, family: Metric) -> Iterator[str]:
    if not family.documentation.strip():
        yield "has no help"
    if not _NAME.match(name):
        yield "is not lower case with single underscores"
    if family.type not in ("counter", "gauge"):
        yield f"is a {family.type}"
    if family.type != "counter" and name.endswith("_total"):
        yield "ends in _total and is no counter"
    if name.endswith(("_bucket", "_count", "_sum", "_info_total")):
        yield "ends like a part of a histogram or summary"
    if set(name.split("_")) & set(_TYPES):
        yield "has its type in the name"


def _units(name: str) -> Iterator[str]:
    for part in name.split("_"):
        if part in _ABBREVIATIONS:
            yield f"has an abbreviated unit, {part}"
        if part in _OTHER_UNITS:
            yield f"has {part} where {_OTHER_UNITS[part]} is the base unit"
        if any(part == prefix + unit for prefix in _PREFIXES for unit in _BASE_UNITS):
            yield f"has {part}, which is no base unit"


def _labels(family: Metric) -> Iterator[str]:
    for name in {name for sample in family.samples for name in sample.labels}:
        if not _LABEL.match(name) or name in _TAKEN_LABELS:
            yield f"has the label {name}"
