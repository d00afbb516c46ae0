"""Edit operations, which are applied to dead letters before they are redriven.

Operations change the record's text, because a malformed record cannot be decoded into a row: fields of
its JSON object, or any text in it. A schema registry frame (a zero byte and a schema id) is kept in
front of the edited text.
"""

import json
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import groupby
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from jobs.base.budget import spend
from jobs.base.problems import problem
from jobs.formats.framing import HEAD
from jobs.formats.json_text import WrittenFloat, compact_json, parse_json
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.records import Malformed
from weir.workspaces.errors import ServiceError

MAX_OPERATIONS: Final = 20
_MAX_VALUE_CHARS: Final = 10_000
_MAX_SHOWN_CHARS: Final = 60


class EditError(Exception):
    """An operation cannot be applied to a dead letter. The message becomes the dead letter's note."""


def _plain(text: str) -> str:
    text.encode()  # half of a surrogate pair is a ValueError
    if "\x00" in text:
        raise ValueError("contains a NUL character")
    return text


def _path(text: str) -> str:
    if any(not part for part in text.split(".")):
        raise ValueError("a field is a name, or names separated by dots for nested fields")
    return text


def _short(value: Any) -> Any:
    text = compact_json(value)
    if len(text) > _MAX_VALUE_CHARS:
        raise ValueError(f"a value has at most {_MAX_VALUE_CHARS} characters as JSON")
    _plain(text.replace("\\u0000", "\x00"))
    return value


Path = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain), AfterValidator(_path)]
Text = Annotated[str, Field(max_length=1_000), AfterValidator(_plain)]


class _Operation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SetField(_Operation):
    """Set a field, and create the objects on its path. With `only_missing`, only if it is missing or null."""

    op: Literal["set"]
    field: Path
    value: Annotated[Any, AfterValidator(_short)]
    only_missing: bool = False

    def on_object(self, record: dict[str, Any]) -> None:
        """Apply it to a record."""
        holder, name = _holder(record, self.field, create=True)
        if holder is not None and not (self.only_missing and holder.get(name) is not None):
            holder[name] = deepcopy(self.value)  # a later operation may set a field inside it

    def __str__(self) -> str:
        text = f"{self.field} set to {_shorten(compact_json(self.value))}"
        return f"{text} if missing" if self.only_missing else text


class RemoveField(_Operation):
    """Remove a field, if it exists."""

    op: Literal["remove"]
    field: Path

    def on_object(self, record: dict[str, Any]) -> None:
        """Apply it to a record."""
        holder, name = _holder(record, self.field, create=False)
        if holder is not None:
            holder.pop(name, None)

    def __str__(self) -> str:
        return f"{self.field} removed"


class RenameField(_Operation):
    """Rename a field, if it exists. A field with the new name is overwritten."""

    op: Literal["rename"]
    field: Path
    to: Path

    def on_object(self, record: dict[str, Any]) -> None:
        """Apply it to a record."""
        holder, name = _holder(record, self.field, create=False)
        if holder is not None and name in holder:
            value = holder.pop(name)
            target, new = _holder(record, self.to, create=True)
            if target is not None:
                target[new] = value

    def __str__(self) -> str:
        return f"{self.field} renamed to {self.to}"


class ReplaceText(_Operation):
    """Replace every occurrence of a literal text."""

    op: Literal["replace"]
    text: Annotated[Text, Field(min_length=1)]
    by: Text = ""

    def on_text(self, record: str) -> str:
        """Apply it to a record's text."""
        size = len(record.encode()) + record.count(self.text) * (
            len(self.by.encode()) - len(self.text.encode())
        )
        if size > MAX_BYTES:
            raise EditError(f"After the edit, the record would have {size} bytes; the limit is {MAX_BYTES}.")
        return record.replace(self.text, self.by)

    def __str__(self) -> str:
        text, by = (_shorten(compact_json(each)) for each in (self.text, self.by))
        return f"{text} replaced by {by}"


EditOperation = Annotated[SetField | RemoveField | RenameField | ReplaceText, Field(discriminator="op")]
_OPERATIONS: Final[TypeAdapter[list[EditOperation]]] = TypeAdapter(
    Annotated[list[EditOperation], Field(max_length=MAX_OPERATIONS)]
)


def parse_edit(given: Any) -> list[EditOperation]:
    """Parse the operations of an edit from JSON; empty: the records are not changed.

    Raises:
        ServiceError: an operation is invalid; the problems contain the path of each error.
    """
    try:
        return _OPERATIONS.validate_python(given)
    except ValidationError as error:
        errors = tuple(
            problem(
                "PARAMETER_RANGE",
                ("edit", *(str(part) for part in detail["loc"])),
                detail["msg"].removeprefix("Value error, "),
            )
            for detail in error.errors(include_url=False, include_input=False)
        )
        path = " ".join(str(part) for part in errors[0].path[1:])
        raise ServiceError(
            "EDIT_INVALID", f"Invalid edit: operation {path}: {errors[0].message}", errors
        ) from error


def dump_edit(operations: Sequence[EditOperation]) -> str:
    """JSON text of an edit, in which it is stored. Numbers stay as they were written."""
    return compact_json([operation.model_dump() for operation in operations])


def load_edit(text: str) -> list[EditOperation]:
    """The operations of a text by `dump_edit`."""
    return parse_edit(json.loads(text, parse_float=WrittenFloat))


def apply_operations(value: bytes | None, operations: list[EditOperation]) -> bytes:
    """Apply operations to a record's value. Numbers keep their text; whitespace between the parts of
    a JSON object is removed.

    Args:
        value: of the dead letter; None for a Kafka tombstone.
        operations: in their order.

    Raises:
        EditError: the value is not text, or is not a JSON object although an operation changes a field.
    """
    if value is None:
        raise EditError("The record has no value to edit.")
    head, body = (value[:HEAD], value[HEAD:]) if value[:1] == b"\x00" and len(value) >= HEAD else (b"", value)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise EditError("The value isn't UTF-8 text, so it can't be edited.") from error
    for on_text, together in groupby(operations, lambda each: isinstance(each, ReplaceText)):
        apply = _on_text if on_text else _on_object
        text = apply(text, together)
    return head + text.encode()


def _on_text(text: str, operations: Iterable[Any]) -> str:
    for operation in operations:
        text = operation.on_text(text)
    return text


def _on_object(text: str, operations: Iterable[Any]) -> str:
    """Operations that follow each other, on one reading of the text."""
    record = parse_json(text.encode())
    for operation in operations:
        if isinstance(record, Malformed):
            raise EditError(
                f"The value isn't a JSON object, so {operation.field} can't be edited. "
                f"Use a text replacement. {record.detail}"
            )
        spend(0)
        operation.on_object(record)
    try:
        # Half a surrogate pair is no UTF-8; it stays escaped.
        return compact_json(record).encode(errors="backslashreplace").decode()
    except RecursionError as error:
        raise EditError("The edited value is nested too deeply.") from error


def _holder(record: dict[str, Any], path: str, *, create: bool) -> tuple[dict[str, Any] | None, str]:
    """The object that contains a field, and the field's name in it; None if there is no such
    object and `create` is false.
    """
    *around, name = path.split(".")
    holder = record
    for part in around:
        inner = holder.get(part)
        if inner is None:
            if not create:
                return None, name
            inner = holder[part] = {}
        if not isinstance(inner, dict):
            raise EditError(f"{part} isn't an object, so {path} can't be edited.")
        holder = inner
    return holder, name


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
