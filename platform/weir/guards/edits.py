"""What is changed in every letter of a group before it is sent again: a few steps, each the same for all of them.

Steps work on the record's own text, because a malformed record is no row that could be edited: fields of the JSON object that it
holds, as they are written there, or text in it. A frame (a zero byte and a schema's id) stays before what is edited.
"""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from jobs.base.problems import problem
from jobs.formats.framing import HEAD
from jobs.formats.json_text import NumberText, parse_json
from jobs.formats.malformed_reasons import MAX_BYTES
from jobs.formats.records import Malformed
from weir.workspaces.errors import ServiceError

MOST_STEPS: Final = 20
_LONGEST_VALUE: Final = 10_000
_SHOWN: Final = 60


class EditError(Exception):
    """A letter cannot be edited so; the message says why, for the letter's note."""


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
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > _LONGEST_VALUE:
        raise ValueError(f"a value has at most {_LONGEST_VALUE} characters as JSON")
    _plain(text.replace("\\u0000", "\x00"))
    return value


Path = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain), AfterValidator(_path)]
Text = Annotated[str, Field(max_length=1_000), AfterValidator(_plain)]


class _Step(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SetField(_Step):
    """A field gets a value; `only_missing`: only where it is missing or null. Objects around it are made where they are missing."""

    do: Literal["set"]
    field: Path
    value: Annotated[Any, AfterValidator(_short)]
    only_missing: bool = False

    def on_object(self, record: dict[str, Any]) -> None:
        """Do it to a record."""
        holder, name = _holder(record, self.field, make=True)
        if holder is not None and not (self.only_missing and holder.get(name) is not None):
            holder[name] = self.value

    def __str__(self) -> str:
        return (
            f"{self.field} set to {_cut(json.dumps(self.value, ensure_ascii=False))}{' where it is missing' if self.only_missing else ''}"
        )


class RemoveField(_Step):
    """A field goes, where it is there."""

    do: Literal["remove"]
    field: Path

    def on_object(self, record: dict[str, Any]) -> None:
        """Do it to a record."""
        holder, name = _holder(record, self.field, make=False)
        if holder is not None:
            holder.pop(name, None)

    def __str__(self) -> str:
        return f"{self.field} removed"


class RenameField(_Step):
    """What stands under one name stands under another, and replaces what stood there; nothing happens where it is missing."""

    do: Literal["rename"]
    field: Path
    to: Path

    def on_object(self, record: dict[str, Any]) -> None:
        """Do it to a record."""
        holder, name = _holder(record, self.field, make=False)
        if holder is not None and name in holder:
            value = holder.pop(name)
            target, new = _holder(record, self.to, make=True)
            if target is not None:
                target[new] = value

    def __str__(self) -> str:
        return f"{self.field} renamed to {self.to}"


class ReplaceText(_Step):
    """Every occurrence of a text becomes another, letter by letter as written; no pattern."""

    do: Literal["replace"]
    text: Annotated[Text, Field(min_length=1)]
    by: Text = ""

    def on_text(self, record: str) -> str:
        """Do it to a record's text."""
        size = len(record.encode()) + record.count(self.text) * (len(self.by.encode()) - len(self.text.encode()))
        if size > MAX_BYTES:
            raise EditError(f"After the edit, the record would have {size} bytes; the limit is {MAX_BYTES}.")
        return record.replace(self.text, self.by)

    def __str__(self) -> str:
        return f"{_cut(json.dumps(self.text, ensure_ascii=False))} replaced by {_cut(json.dumps(self.by, ensure_ascii=False))}"


Step = Annotated[SetField | RemoveField | RenameField | ReplaceText, Field(discriminator="do")]
_STEPS: Final[TypeAdapter[list[Step]]] = TypeAdapter(Annotated[list[Step], Field(max_length=MOST_STEPS)])


def read_edit(given: Any) -> list[Step]:
    """The steps of an edit from JSON, in their order; empty: nothing is edited.

    Raises:
        ServiceError: a step is none, or says too little or too much; each fault has its place.
    """
    try:
        return _STEPS.validate_python(given)
    except ValidationError as error:
        faults = tuple(
            problem("PARAMETER_RANGE", ("edit", *(str(part) for part in fault["loc"])), fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False, include_input=False)
        )
        where = " ".join(str(part) for part in faults[0].path[1:])
        raise ServiceError("EDIT_INVALID", f"Invalid edit: operation {where}: {faults[0].message}", faults) from error


def edited(value: bytes | None, steps: list[Step]) -> bytes:
    """A record's value after all steps. Numbers stay as they are written; blanks between the parts of a JSON object go.

    Args:
        value: of the letter; None for a Kafka tombstone.
        steps: in their order.

    Raises:
        EditError: it has no text, or is no JSON object where a field is to be edited.
    """
    if value is None:
        raise EditError("The record has no value to edit.")
    head, body = (value[:HEAD], value[HEAD:]) if value[:1] == b"\x00" and len(value) >= HEAD else (b"", value)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise EditError("The value isn't UTF-8 text, so it can't be edited.") from error
    for step in steps:
        text = step.on_text(text) if isinstance(step, ReplaceText) else _on_object(text, step)
    return head + text.encode()


def _on_object(text: str, step: SetField | RemoveField | RenameField) -> str:
    record = parse_json(text.encode())
    if isinstance(record, Malformed):
        raise EditError(f"The value isn't a JSON object, so {step.field} can't be edited. Use a text replacement instead. {record.detail}")
    step.on_object(record)
    return _json(record)


def _holder(record: dict[str, Any], path: str, *, make: bool) -> tuple[dict[str, Any] | None, str]:
    """The object that a field is in, and its name there; None where there is no such object and none is to be made."""
    *around, name = path.split(".")
    holder = record
    for part in around:
        inner = holder.get(part)
        if inner is None:
            if not make:
                return None, name
            inner = holder[part] = {}
        if not isinstance(inner, dict):
            raise EditError(f"{part} isn't an object, so {path} can't be edited.")
        holder = inner
    return holder, name


def _json(value: Any) -> str:
    match value:
        case NumberText():
            return value.text
        case dict():
            return "{" + ",".join(f"{_quoted(name)}:{_json(part)}" for name, part in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_json, value)) + "]"
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def _quoted(text: str) -> str:
    """Half of a surrogate pair, which JSON may escape, is no UTF-8: such a text stays escaped."""
    return json.dumps(text, ensure_ascii=any("\ud800" <= sign <= "\udfff" for sign in text))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
