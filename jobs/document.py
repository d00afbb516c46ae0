"""The job document: sources → steps → outputs, and settings. One model, readable without Django and Spark.

See `docs/architecture.md#the-job-document`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from jobs.base.problems import Problem, has_errors, problem
from jobs.document_parts import ONE_SOURCE, OutputRef, Settings, SourceRef
from jobs.document_text import read_text
from jobs.operators import OPERATORS, PLANNED, Step
from jobs.operators.output_fields import nearest
from jobs.operators.parameters import Parameters
from jobs.operators.windows import KINDS

FORMAT: Final = 1
MAX_STEPS: Final = 200
MAX_SOURCES: Final = 20
MAX_PROBLEMS: Final = 500
MAX_REPAIRS: Final = 3

MAX_OUTPUTS: Final = 20

Path = tuple[str, ...]


class JobDocument(BaseModel):
    """A whole job. Names of sources and steps share one space; the order of fields, keys and measures counts."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="Job document")

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=4_000)] = ""
    sources: Annotated[dict[str, SourceRef], Field(json_schema_extra={"minProperties": 1, "maxProperties": MAX_SOURCES})]
    steps: Annotated[dict[str, Step], Field(json_schema_extra={"maxProperties": MAX_STEPS})] = {}
    outputs: Annotated[dict[str, OutputRef], Field(json_schema_extra={"minProperties": 1, "maxProperties": MAX_OUTPUTS})]
    settings: Settings = Settings()

    def as_json(self) -> dict[str, Any]:
        """The form that the API gives and the engine gets; what was left out stays left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


@dataclass(frozen=True)
class ParseResult:
    """What could be read of a document.

    Attributes:
        document: the parts that could be read; None when there is nothing to check.
        problems: what is wrong with its form.
        unparsed: names of sources and steps that are there but could not be read.
        incomplete: names of steps that were read after a faulty parameter was left out.
    """

    document: JobDocument | None
    problems: tuple[Problem, ...]
    unparsed: frozenset[str] = frozenset()
    incomplete: frozenset[str] = frozenset()


def parse_document(document: str | Mapping[str, Any]) -> tuple[JobDocument | None, list[Problem]]:
    """Read a document from YAML or JSON text or from plain values.

    Returns:
        The document, or None when its form has an error, and every finding about its form (not yet about its meaning:
        `jobs.plan.plan_job` checks both).
    """
    reading = read_document(document)
    found = list(reading.problems)
    return (None if has_errors(found) else reading.document), found


def document_json_schema() -> dict[str, Any]:
    """JSON Schema of the document, for editors."""
    return JobDocument.model_json_schema(by_alias=True)


def read_document(document: str | Mapping[str, Any]) -> ParseResult:
    """Read as much as can be read, so that one response can hold all problems. Never raises."""
    problems: list[Problem] = []
    value: Any = document
    if isinstance(document, str):
        text = read_text(document)
        problems += text.problems
        value = text.value
        if value is None and problems:
            return ParseResult(None, tuple(problems))
    if not isinstance(value, Mapping):
        return ParseResult(
            None,
            (*problems, problem("PARAMETER_RANGE", (), "The document must be a mapping with format, name, sources, steps and outputs.")),
        )
    return _Parser(problems).read(dict(value))


class _Parser:
    """Reads the sections one by one and keeps what is valid."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.unparsed: set[str] = set()
        self.incomplete: set[str] = set()

    def read(self, value: dict[str, Any]) -> ParseResult:
        sources = self._section(value, "sources", SourceRef, MAX_SOURCES)
        steps = self._steps(value)
        outputs = self._section(value, "outputs", OutputRef, MAX_OUTPUTS)
        settings, _ = self._model(Settings, value["settings"], ("settings",)) if "settings" in value else (None, False)
        head = {key: value[key] for key in value if key not in ("sources", "steps", "outputs", "settings")}
        self._head(head, value)
        document = JobDocument.model_construct(
            _fields_set={key for key in JobDocument.model_fields if key in value},
            format=FORMAT,
            name=_text(value.get("name")),
            description=_text(value.get("description")),
            sources=sources,
            steps=steps,
            outputs=outputs,
            settings=settings or Settings(),
        )
        return ParseResult(document, tuple(self.problems[:MAX_PROBLEMS]), frozenset(self.unparsed), frozenset(self.incomplete))

    def _head(self, head: dict[str, Any], value: dict[str, Any]) -> None:
        shell = {**head, "sources": {}, "steps": {}, "outputs": {}, "settings": {}}
        try:
            JobDocument.model_validate(shell)
        except ValidationError as error:
            self.problems += [_as_problem(detail, (), JobDocument) for detail in error.errors(include_url=False, include_context=True)]
        for section in ("sources", "outputs"):
            if section not in value:
                self.problems.append(problem("PARAMETER_MISSING", (section,), f"The document has no {section}.", _SECTION_HINTS[section]))

    def _section(self, value: dict[str, Any], section: str, model: type[Parameters], most: int) -> dict[str, Any]:
        if section not in value:
            return {}
        entries = value[section]
        if not isinstance(entries, Mapping):
            self.problems.append(
                problem("PARAMETER_RANGE", (section,), f"{section} must be a mapping from names to parameters.", _SECTION_HINTS[section])
            )
            return {}
        if len(entries) > most:
            self.problems.append(problem("PARAMETER_RANGE", (section,), f"The document has {len(entries)} {section}; the limit is {most}."))
        if not entries and section in _SECTION_HINTS:
            self.problems.append(problem("PARAMETER_MISSING", (section,), f"{section} is empty.", _SECTION_HINTS[section]))
        read: dict[str, Any] = {}
        for name, entry in list(entries.items())[:most]:
            self._entry(read, str(name), entry, model, (section, str(name)))
        return read

    def _entry(self, read: dict[str, Any], name: str, entry: Any, model: type[Parameters], path: Path) -> None:
        found, incomplete = self._model(model, entry, path)
        if found is None:
            self.unparsed.add(name)
            return
        read[name] = found
        if incomplete:
            self.incomplete.add(name)

    def _steps(self, value: dict[str, Any]) -> dict[str, Any]:
        entries = value.get("steps", {})
        if not isinstance(entries, Mapping):
            self.problems.append(
                problem(
                    "PARAMETER_RANGE", ("steps",), "steps must be a mapping from names to parameters.", "Example: steps: {name: {op: …}}"
                )
            )
            return {}
        if len(entries) > MAX_STEPS:
            self.problems.append(
                problem("PARAMETER_RANGE", ("steps",), f"The document has {len(entries)} steps; the limit is {MAX_STEPS}.")
            )
        read: dict[str, Any] = {}
        for name, entry in list(entries.items())[:MAX_STEPS]:
            path = ("steps", str(name))
            model = self._operator(entry, path)
            if model is None:
                self.unparsed.add(str(name))
            else:
                self._entry(read, str(name), entry, model, path)
        return read

    def _operator(self, entry: Any, path: Path) -> type[Parameters] | None:
        if not isinstance(entry, Mapping):
            self.problems.append(
                problem(
                    "PARAMETER_RANGE",
                    path,
                    "A step must be a mapping from parameters to values.",
                    "Example: " + OPERATORS["filter"].example,
                )
            )
            return None
        if "op" not in entry:
            self.problems.append(problem("PARAMETER_MISSING", (*path, "op"), "The step has no op.", nearest("", OPERATORS)))
            return None
        name = entry["op"]
        if isinstance(name, str) and name in OPERATORS:
            return OPERATORS[name].parameters
        if isinstance(name, str) and name in PLANNED:
            message, hint = f"The operator {name} isn't available yet.", "Available now: " + ", ".join(OPERATORS) + "."
        else:
            message, hint = f"Unknown operator {str(name)[:80]!r}.", nearest(str(name)[:80], OPERATORS)
        self.problems.append(problem("PARAMETER_RANGE", (*path, "op"), message, hint))
        return None

    def _model(self, model: type[Parameters], entry: Any, path: Path) -> tuple[Any, bool]:
        """Validate; on errors leave the faulty values out and try again, so that the rest is checked too."""
        try:
            return model.model_validate(entry), False
        except ValidationError as error:
            details = error.errors(include_url=False)
        self.problems += [_as_problem(detail, path, model) for detail in details]
        incomplete = any(detail["type"] != "extra_forbidden" for detail in details)
        for _ in range(MAX_REPAIRS):
            if not isinstance(entry, Mapping):
                break
            entry = _without_faults(entry, details)
            try:
                return model.model_validate(entry), incomplete
            except ValidationError as error:
                details, incomplete = error.errors(include_url=False), True
        return None, True


_SECTION_HINTS: Final = {
    "sources": "Example: sources: {trades: {stream: trades}}",
    "outputs": "Example: outputs: {live: {input: stats, to: result}}",
}

_ELSEWHERE: Final = {  # parameters that some operators have and others do not have yet
    "late": "Only aggregate and deduplicate support late: dead_letter; other steps drop late rows and count them.",
    "on_error": "Remove it: failing expressions become null and are counted. To send such rows elsewhere, filter for null.",
}

_SENTENCES: Final = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "dict_type": "must be a mapping from names to values",
    "list_type": "must be a list",
    "model_type": "must be a mapping from parameters to values",
    "model_attributes_type": "must be a mapping from parameters to values",
    "none_required": "must be omitted",
    "union_tag_invalid": "has an unsupported form",
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _document_path(loc: tuple[str | int, ...], entry: Any, keep_last: bool) -> Path:
    """The path of a pydantic location: parts that are not in the value are names of alternatives, and are left out."""
    path: list[str] = []
    for at, part in enumerate(loc):
        last = at == len(loc) - 1
        parts = dict(enumerate(entry)) if isinstance(entry, list) else entry
        if isinstance(parts, Mapping) and part in parts:
            entry = parts[part]
        elif not (last and keep_last):
            continue
        path.append(str(part))
    return tuple(path)


def _as_problem(detail: ErrorDetails, path: Path, model: type[BaseModel]) -> Problem:
    kind, loc, value = detail["type"], detail["loc"], detail["input"]
    field_path = (*path, *(str(part) for part in loc if part not in ("list", "map")))
    if kind == "missing":
        return problem("PARAMETER_MISSING", field_path, f"{loc[-1]} is required.", _field_hint(model, loc))
    if kind == "extra_forbidden":
        known = [field.alias or name for name, field in model.model_fields.items()]
        hint = _ELSEWHERE.get(str(loc[-1])) or nearest(str(loc[-1]), known)
        return problem("PARAMETER_RANGE", field_path, f"Unknown parameter {str(loc[-1])[:80]!r}.", hint if len(loc) == 1 else "")
    name = field_path[-1] if field_path else "The value"
    if kind == "literal_error":
        return problem(
            "PARAMETER_RANGE", field_path, f"{str(value)[:80]!r} isn't a valid value for {name}.", f"Use {detail['ctx']['expected']}."
        )
    if kind == "one_window":
        return _window_problem(field_path, value)
    if kind == ONE_SOURCE:
        return _source_problem(field_path, value)
    if kind in ("too_short", "too_long"):
        least, most, given = (detail["ctx"].get(name) for name in ("min_length", "max_length", "actual_length"))
        bound = f"the minimum is {least}" if kind == "too_short" else f"the limit is {most}"
        return problem(
            "PARAMETER_RANGE", field_path, f"{name} has {given} {'entry' if given == 1 else 'entries'}; {bound}.", _field_hint(model, loc)
        )
    sentence = _SENTENCES.get(kind)
    return problem("PARAMETER_RANGE", field_path, f"{name} {sentence}." if sentence else f"{name}: {detail['msg']}.")


def _window_problem(path: Path, value: Any) -> Problem:
    return problem(
        "PARAMETER_RANGE",
        path,
        f"{'The window has several kinds' if value else 'The window has no kind'}.",
        f"Use exactly one of {', '.join(KINDS)}, e.g. tumbling: {{size: 10s}} or session: {{gap: 1m}}.",
    )


def _source_problem(path: Path, value: Any) -> Problem:
    if isinstance(value, Mapping) and value.get("stream") is not None:
        return problem("PARAMETER_RANGE", (*path, "table"), "A source reads either a stream or a table, not both.", "Define two sources.")
    return problem(
        "PARAMETER_MISSING", (*path, "stream"), "The source has no stream or table.", "Example: {stream: trades} or {table: rates}"
    )


def _field_hint(model: type[BaseModel], loc: tuple[str | int, ...]) -> str:
    for row in OPERATORS.values():
        if row.parameters is model and len(loc) == 1:
            return f"Example: {row.example}"
    return ""


def _without_faults(entry: Mapping[str, Any], details: list[ErrorDetails]) -> dict[str, Any]:
    """A copy of the entry without the values that the details point at."""
    rest: dict[str, Any] = _copy(entry)
    paths = {_document_path(detail["loc"], entry, keep_last=False) for detail in details if detail["type"] != "missing"}
    # Inner values before outer ones, and later items of a list first, so that earlier items keep their index.
    for path in sorted(paths, key=_in_document_order, reverse=True):
        _remove(rest, path)
    return rest


def _in_document_order(path: Path) -> list[tuple[bool, int | str]]:
    return [(part.isdecimal(), int(part) if part.isdecimal() else part) for part in path]


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(part) for key, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def _remove(entry: Any, path: Path) -> None:
    for part in path[:-1]:
        entry = entry[part] if isinstance(entry, dict) else entry[int(part)]
        if not isinstance(entry, dict | list):
            return
    if not path:
        return
    if isinstance(entry, dict):
        entry.pop(path[-1], None)
    elif int(path[-1]) < len(entry):
        del entry[int(path[-1])]
