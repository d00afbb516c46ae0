"""Parses the text of a document, YAML or JSON, into plain values with the position of each value in the text.

A strict subset of YAML: no anchors, aliases or tags, no duplicate keys, one document. Words such as ``yes``
and ``on`` stay text, as do dates and ``10:30``; only ``true false null ~`` and plain numbers are not text.
A number of which a double would lose digits stays text, too. Keys are always text.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import yaml

from jobs.base.problems import DocumentPath, Problem, problem
from jobs.formats.json_text import depth_of

MAX_BYTES: Final = 1_048_576
MAX_DEPTH: Final = 32
MAX_VALUES: Final = 100_000
_TOO_DEEP: Final = f"The document is nested deeper than {MAX_DEPTH} levels."
_TOO_MANY: Final = f"The document has more than {MAX_VALUES} values."

# Every long, and every double as JSON writes it: small ones with up to 17 digits after up to six zeros.
_INT: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_FLOAT: Final = re.compile(
    r"-?(?:(?:0|[1-9][0-9]{0,17})\.[0-9]{1,18}(?:[eE][+-]?[0-9]{1,3})?|0\.0{0,6}[1-9][0-9]{0,16})"
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is about ten times faster

Span = tuple[int, int]


@dataclass(slots=True)
class TextNode:
    """A value in the text: its characters from `start` to `end` (exclusive), those of its key, and its parts.

    `plain`: the text is the value's own characters, without escapes.
    """

    start: int
    end: int
    key: Span | None = None
    plain: bool = False
    children: "dict[str, TextNode]" = field(default_factory=dict)


class _RefusedError(Exception):
    """The text is outside the allowed subset, at the characters `span`."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True)
class DocumentText:
    """The result of parsing a text.

    Attributes:
        text: as given.
        value: plain values (dict, list, str, int, float, bool, None); None when the text could not be parsed.
        problems: why it could not be parsed, or duplicate keys (the first one counts).
        root: of the whole value; None when the text could not be parsed, or only as JSON.
    """

    text: str
    value: Any
    problems: tuple[Problem, ...]
    root: TextNode | None

    def locate(self, path: DocumentPath, span: Span | None = None) -> tuple[int, int, int, int] | None:
        """Line, column, end line, end column (all from 1, the end exclusive) of the value at `path`.

        Args:
            path: as in a Problem. Where its last parts do not exist, the key of the innermost existing part
                is located.
            span: characters inside the value; ignored where the value is written with escapes or over several
                lines.

        Returns:
            None when no positions are known (`root` is None), unless the path is (): then the span counts
            characters of the text.
        """
        if self.root is None:
            return (*self._position(span[0]), *self._position(span[1])) if span and not path else None
        found, complete = _nearest(self.root, path)
        start, end = (found.start, found.end) if complete or found.key is None else found.key
        if complete and span is not None and found.plain and span[1] <= end - start:
            start, end = start + span[0], start + span[1]
        return (*self._position(start), *self._position(end))

    def _position(self, at: int) -> tuple[int, int]:
        before = self.text[:at]
        return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def _nearest(root: TextNode, path: DocumentPath) -> tuple[TextNode, bool]:
    """The value at a path, or the innermost one around it; and whether it is the value at the path."""
    found = root
    for part in path:
        inner = found.children.get(part)
        if inner is None:
            return found, False
        found = inner
    return found, True


def read_text(text: str) -> DocumentText:
    """Parse a document's text.

    Never raises: errors are in `problems`, with the path ``()`` or that of the duplicate key.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        return _unreadable(
            text,
            f"The text has an incomplete character (a lone surrogate) at position {error.start}.",
            (error.start, error.end),
        )
    if size > MAX_BYTES:
        return _unreadable(
            text,
            f"The document has {size:,} bytes; the limit is {MAX_BYTES:,}. Split it into two jobs.",
            None,
        )
    reader = _Reader(text)
    try:
        value, node = reader.read()
    except _RefusedError as refused:
        return _unreadable(text, str(refused), refused.span)
    except yaml.MarkedYAMLError as error:
        return _read_json(text) or _syntax(error, text)
    except yaml.YAMLError as error:
        return _unreadable(text, f"The document isn't valid YAML: {str(error).splitlines()[0]}.", None)
    return DocumentText(text, value, tuple(reader.problems), node)


def locate(text: str, path: DocumentPath, span: Span | None = None) -> tuple[int, int, int, int] | None:
    """The position of a path in a text (`DocumentText.locate`). For many paths parse the text only once."""
    return read_text(text).locate(path, span)


def rounded_number(text: str) -> float | str:
    """The double of a number that a document leaves as text, such as ``1234567890123456.78``; other texts as
    they are, and numbers that are too large for a double.
    """
    if not _NUMBER.fullmatch(text) or not isinstance(_number(text), str):
        return text
    found = float(text)
    return found if math.isfinite(found) else text


def _number(text: str) -> int | float | str:
    """A number as a document reads it; other texts as they are."""
    if _INT.fullmatch(text):
        return int(text)
    return _exact(text) if _FLOAT.fullmatch(text) else text


def _exact(text: str) -> float | str:
    """A double, or the text where that would lose digits, which decimals need."""
    found = float(text)
    return text if math.isfinite(found) and Decimal(repr(found)) != Decimal(text) else found


def _unreadable(text: str, message: str, span: Span | None, hint: str = "") -> DocumentText:
    return DocumentText(text, None, (problem("PARAMETER_RANGE", (), message, hint, span=span),), None)


def _syntax(error: yaml.MarkedYAMLError, text: str) -> DocumentText:
    mark = error.problem_mark or error.context_mark
    at = min(mark.index, len(text)) if mark else 0
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    hint = (
        "Check indentation, colons and quotes. Quote texts that contain ': ' or start with a quote or "
        "bracket."
    )
    return _unreadable(
        text,
        f"{where}{error.problem or error.context or 'the text is not YAML'}.",
        (at, min(at + 1, len(text))),
        hint,
    )


def _read_json(text: str) -> DocumentText | None:
    """Parse JSON that is no YAML (escaped surrogate pairs), without positions. None when it is not JSON."""
    if not text.lstrip().startswith("{"):
        return None
    if depth_of(text, MAX_DEPTH) > MAX_DEPTH:
        return _unreadable(text, _TOO_DEEP, None)
    half = _half_a_pair(text)
    if half is not None:
        found = text[slice(*half)]
        return _unreadable(text, f"{found} is half of a surrogate pair, which is no character.", half)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_number,
        )
    except ValueError:
        return None
    return DocumentText(text, value, (), None) if _is_small(value) else _unreadable(text, _TOO_MANY, None)


def _half_a_pair(text: str) -> Span | None:
    """Where JSON escapes half a surrogate pair alone; None: nowhere."""
    high: re.Match[str] | None = None
    for escape in _ESCAPE.finditer(text):
        code = int(escape[1] or "0", 16)
        if high is not None and not (0xDC00 <= code <= 0xDFFF and escape.start() == high.end()):
            return high.span()
        if high is None and 0xDC00 <= code <= 0xDFFF:
            return escape.span()
        high = escape if 0xD800 <= code <= 0xDBFF else None
    return high.span() if high is not None else None


def _is_small(value: Any) -> bool:
    """Whether it has no more values than a document may have, keys included."""
    waiting, count = [value], 0
    while waiting and count <= MAX_VALUES:
        found = waiting.pop()
        inner = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else ()
        count += 1 + (len(inner) if isinstance(found, dict) else 0)
        waiting.extend(inner)
    return count <= MAX_VALUES


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("duplicate key")
    return values


def _is(event: Any, kind: type) -> bool:
    """isinstance without narrowing the type: PyYAML's types declare optional marks, but events of a parsed
    text always have them.
    """
    return isinstance(event, kind)


class _Reader:
    """Builds values and positions from the parser's events, so that parsing stops at a refused construct."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self._count = 0
        self._events: Iterator[Any] = iter(())

    def read(self) -> tuple[Any, TextNode]:
        self._events = iter(yaml.parse(self.text, Loader=_LOADER))
        next(self._events)  # the stream begins
        first = next(self._events)
        if isinstance(first, yaml.StreamEndEvent):
            raise self._refusal("The document is empty.", first)
        value, node = self._value(next(self._events), (), 0)
        next(self._events)  # the document ends
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._refusal("The text has more than one YAML document (---). Keep one.", after)
        return value, node

    def _refusal(self, message: str, event: Any) -> _RefusedError:
        mark = event.start_mark
        return _RefusedError(
            f"line {mark.line + 1}, column {mark.column + 1}: {message}", (mark.index, event.end_mark.index)
        )

    def _value(self, event: Any, path: DocumentPath, depth: int) -> tuple[Any, TextNode]:
        self._count += 1
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal("YAML aliases (*name) aren't supported. Repeat the value.", event)
        if getattr(event, "anchor", None) is not None:
            raise self._refusal("YAML anchors (&name) aren't supported. Remove them.", event)
        if event.tag is not None and event.tag != "!":
            raise self._refusal(f"YAML tags ({event.tag[:40]}) aren't supported. Remove them.", event)
        if depth > MAX_DEPTH:
            raise self._refusal(_TOO_DEEP, event)
        if self._count > MAX_VALUES:
            raise self._refusal(_TOO_MANY, event)
        if _is(event, yaml.ScalarEvent):
            node = TextNode(event.start_mark.index, event.end_mark.index)
            return self._scalar(event, node), node
        if _is(event, yaml.MappingStartEvent):
            return self._mapping(event, path, depth)
        return self._sequence(event, path, depth)

    def _scalar(self, event: Any, node: TextNode) -> Any:
        text: str = event.value
        if event.style in ("'", '"') and self.text[node.start + 1 : node.end - 1] == text:
            node.start, node.end, node.plain = node.start + 1, node.end - 1, True
        if event.style is not None and event.style != "":
            return text
        node.plain = self.text[node.start : node.end] == text
        return _WORDS[text] if text in _WORDS else _number(text)

    def _mapping(self, event: Any, path: DocumentPath, depth: int) -> tuple[dict[str, Any], TextNode]:
        node = TextNode(event.start_mark.index, event.end_mark.index)
        values: dict[str, Any] = {}
        while not _is(key := next(self._events), yaml.MappingEndEvent):
            if not _is(key, yaml.ScalarEvent):
                raise self._refusal("Keys must be names, not lists or mappings.", key)
            self._value(key, path, depth)  # refuses anchors and tags on keys, too
            name = key.value
            value, inner = self._value(next(self._events), (*path, name), depth + 1)
            inner.key = (key.start_mark.index, key.end_mark.index)
            if name in values:
                line = key.start_mark.line + 1
                message = f"line {line}: duplicate key {name!r}; only the first one is used."
                self.problems.append(problem("NAME_TAKEN", (*path, name), message, "Remove one of them."))
                continue
            values[name] = value
            node.children[name] = inner
        node.end = key.end_mark.index
        return values, node

    def _sequence(self, event: Any, path: DocumentPath, depth: int) -> tuple[list[Any], TextNode]:
        node = TextNode(event.start_mark.index, event.end_mark.index)
        values: list[Any] = []
        while not _is(item := next(self._events), yaml.SequenceEndEvent):
            at = str(len(values))
            value, inner = self._value(item, (*path, at), depth + 1)
            values.append(value)
            node.children[at] = inner
        node.end = item.end_mark.index
        return values, node
