"""The job document: sources → steps → outputs, and settings; needs neither Django nor Spark.

See `docs/architecture.md#the-job-document`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jobs.base.problems import DocumentPath, Problem, has_errors, problem
from jobs.document_errors import as_problem, unstorable, without_errors
from jobs.document_parts import OutputRef, Settings, SourceRef
from jobs.document_text import read_text
from jobs.operators import OPERATORS, PLANNED, Step
from jobs.operators.output_fields import nearest
from jobs.operators.parameters import Parameters

FORMAT: Final = 1
MAX_STEPS: Final = 200
MAX_SOURCES: Final = 20
MAX_PROBLEMS: Final = 500
MAX_REPAIRS: Final = 3

MAX_OUTPUTS: Final = 20


class JobDocument(BaseModel):
    """A whole job.

    Names of sources and steps share one space; the order of fields, keys and measures counts.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, title="Job document")

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=4_000)] = ""
    sources: Annotated[
        dict[str, SourceRef], Field(json_schema_extra={"minProperties": 1, "maxProperties": MAX_SOURCES})
    ]
    steps: Annotated[dict[str, Step], Field(json_schema_extra={"maxProperties": MAX_STEPS})] = {}
    outputs: Annotated[
        dict[str, OutputRef], Field(json_schema_extra={"minProperties": 1, "maxProperties": MAX_OUTPUTS})
    ]
    settings: Settings = Settings()

    def as_json(self) -> dict[str, Any]:
        """The JSON form for the API and the engine; what the document leaves out stays left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


@dataclass(frozen=True)
class ParseResult:
    """The parts of a document that could be parsed.

    Attributes:
        document: the parsed parts; None when there is nothing to check.
        problems: errors and warnings about its form.
        unparsed: names of sources, steps and outputs that could not be parsed.
        incomplete: names of those that were parsed without invalid values (unknown parameters don't count).
    """

    document: JobDocument | None
    problems: tuple[Problem, ...]
    unparsed: frozenset[str] = frozenset()
    incomplete: frozenset[str] = frozenset()


def parse_document(document: str | Mapping[str, Any]) -> tuple[JobDocument | None, list[Problem]]:
    """Parse a document from YAML or JSON text, or from plain values.

    Returns:
        The document, or None when its form has an error, and all problems of its form (`jobs.plan.plan_job`
        checks its meaning, too).
    """
    reading = read_document(document)
    found = list(reading.problems)
    return (None if has_errors(found) else reading.document), found


def document_json_schema() -> dict[str, Any]:
    """JSON Schema of the document, for editors."""
    return JobDocument.model_json_schema(by_alias=True)


def read_document(document: str | Mapping[str, Any]) -> ParseResult:
    """Parse as much of a document as possible, so that one response can hold all problems. Never raises."""
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
            (
                *problems,
                problem(
                    "PARAMETER_RANGE",
                    (),
                    "The document must be a mapping with format, name, sources, steps and outputs.",
                ),
            ),
        )
    return _Parser([*problems, *unstorable(value)]).read(dict(value))


class _Parser:
    """Parses the sections one by one and keeps what is valid."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.unparsed: set[str] = set()
        self.incomplete: set[str] = set()

    def read(self, value: dict[str, Any]) -> ParseResult:
        sources = self._section(value, "sources", SourceRef, MAX_SOURCES)
        steps = self._steps(value)
        outputs = self._section(value, "outputs", OutputRef, MAX_OUTPUTS)
        settings, _ = (
            self._model(Settings, value["settings"], ("settings",)) if "settings" in value else (None, False)
        )
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
        return ParseResult(
            document,
            tuple(self.problems[:MAX_PROBLEMS]),
            frozenset(self.unparsed),
            frozenset(self.incomplete),
        )

    def _head(self, head: dict[str, Any], value: dict[str, Any]) -> None:
        shell = {**head, "sources": {}, "steps": {}, "outputs": {}, "settings": {}}
        try:
            JobDocument.model_validate(shell)
        except ValidationError as error:
            self.problems += [
                as_problem(detail, (), JobDocument)
                for detail in error.errors(include_url=False, include_context=True)
            ]
        for section in ("sources", "outputs"):
            if section not in value:
                self.problems.append(
                    problem(
                        "PARAMETER_MISSING",
                        (section,),
                        f"The document has no {section}.",
                        _SECTION_HINTS[section],
                    )
                )

    def _section(
        self, value: dict[str, Any], section: str, model: type[Parameters], most: int
    ) -> dict[str, Any]:
        if section not in value:
            return {}
        entries = value[section]
        if not isinstance(entries, Mapping):
            self.problems.append(
                problem(
                    "PARAMETER_RANGE",
                    (section,),
                    f"{section} must be a mapping from names to parameters.",
                    _SECTION_HINTS[section],
                )
            )
            return {}
        if len(entries) > most:
            self.problems.append(
                problem(
                    "PARAMETER_RANGE",
                    (section,),
                    f"The document has {len(entries)} {section}; the limit is {most}.",
                )
            )
        if not entries and section in _SECTION_HINTS:
            self.problems.append(
                problem("PARAMETER_MISSING", (section,), f"{section} is empty.", _SECTION_HINTS[section])
            )
        read: dict[str, Any] = {}
        for name, entry in list(entries.items())[:most]:
            self._entry(read, str(name), entry, model, (section, str(name)))
        return read

    def _entry(
        self, read: dict[str, Any], name: str, entry: Any, model: type[Parameters], path: DocumentPath
    ) -> None:
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
                    "PARAMETER_RANGE",
                    ("steps",),
                    "steps must be a mapping from names to parameters.",
                    "Example: steps: {name: {op: …}}",
                )
            )
            return {}
        if len(entries) > MAX_STEPS:
            self.problems.append(
                problem(
                    "PARAMETER_RANGE",
                    ("steps",),
                    f"The document has {len(entries)} steps; the limit is {MAX_STEPS}.",
                )
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

    def _operator(self, entry: Any, path: DocumentPath) -> type[Parameters] | None:
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
            self.problems.append(
                problem("PARAMETER_MISSING", (*path, "op"), "The step has no op.", nearest("", OPERATORS))
            )
            return None
        name = entry["op"]
        if isinstance(name, str) and name in OPERATORS:
            return OPERATORS[name].parameters
        if isinstance(name, str) and name in PLANNED:
            message, hint = (
                f"The operator {name} isn't available yet.",
                "Available now: " + ", ".join(OPERATORS) + ".",
            )
        else:
            message, hint = f"Unknown operator {str(name)[:80]!r}.", nearest(str(name)[:80], OPERATORS)
        self.problems.append(problem("PARAMETER_RANGE", (*path, "op"), message, hint))
        return None

    def _model(self, model: type[Parameters], entry: Any, path: DocumentPath) -> tuple[Any, bool]:
        """Validate an entry; on errors again without the invalid values, so that the rest is checked, too.

        Returns:
            The model, None when the entry can't be parsed; and whether anything but unknown parameters was
            left out.
        """
        try:
            return model.model_validate(entry), False
        except ValidationError as error:
            details = error.errors(include_url=False)
        self.problems += [as_problem(detail, path, model) for detail in details]
        incomplete = any(detail["type"] != "extra_forbidden" for detail in details)
        for _ in range(MAX_REPAIRS):
            if not isinstance(entry, Mapping):
                break
            entry = without_errors(entry, details, model)
            try:
                return model.model_validate(entry), incomplete
            except ValidationError as error:
                details, incomplete = error.errors(include_url=False), True
        return None, True


_SECTION_HINTS: Final = {
    "sources": "Example: sources: {trades: {stream: trades}}",
    "outputs": "Example: outputs: {live: {input: stats, to: result}}",
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
