"""Table functions of FROM: windows, and operators that have no clause of their own."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from jobs.base.problems import DocumentPath
from jobs.sql.draft import Expression, SqlDraft, as_written
from jobs.sql.functions import FUNCTIONS, LATENESS, WINDOWS, Argument, Kind, argument
from jobs.sql.grouping import Window
from jobs.sql.reader import Reader
from jobs.sql.statements import Call, Named
from jobs.sql.tokens import Slice, SqlError

_HINTS: Final = {
    "CUMULATE": "Use TUMBLE: its results are updated while the window is open, unless EMIT FINAL is set.",
    "UNNEST": "Use EXPLODE(TABLE orders, field => items).",
}
_EXAMPLES: Final = {
    "TUMBLE": "TUMBLE(TABLE trades, INTERVAL '1' MINUTE)",
    "HOP": "HOP(TABLE trades, INTERVAL '1' MINUTE, INTERVAL '1' HOUR): every minute, an hour long",
    "SLIDE": "SLIDE(TABLE trades, INTERVAL '1' HOUR)",
    "SESSION": "SESSION(TABLE trades, INTERVAL '10' MINUTE)",
    "CALENDAR": "CALENDAR(TABLE trades, unit => 'day', zone => 'Europe/Berlin')",
}


def add_call(draft: SqlDraft, call: Call, inputs: list[str], wanted: str) -> str:
    """Add the step of a table function that is no window.

    Args:
        draft: gets the step.
        call: the function.
        inputs: nodes that it reads.
        wanted: name of the step.

    Returns:
        Its name.

    Raises:
        SqlError: the function or an argument is unknown, or has another form.
    """
    operator = call.function.lower()
    parameters = FUNCTIONS.get(operator)
    if parameters is None:
        raise SqlError(f"Unknown table function {call.function}.", _hint_for(call.function), call.span)
    if len(inputs) > 1 and operator != "union":
        raise SqlError(f"{call.function} reads one input.", "", call.span)
    arguments = _arguments(call, call.positional, parameters)
    step: dict[str, Any] = {
        "op": operator,
        **({"inputs": inputs} if operator == "union" else {"input": inputs[0]}),
        **{name: one.value for name, one in arguments.items()},
    }
    places: dict[DocumentPath, Expression] = {
        (name, *path): as_written(written)
        for name, one in arguments.items()
        for path, written in one.places.items()
    }
    return draft.add(wanted, step, places, call.span)


def window_of(draft: SqlDraft, call: Call) -> Window:
    """The window that a function of `WINDOWS` describes.

    Raises:
        SqlError: a duration is missing, or an argument has another form.
    """
    kind, durations, others = WINDOWS[call.function]
    example = f"Example: {_EXAMPLES[call.function]}"
    if len(call.inputs) != 1:
        raise SqlError(f"{call.function} reads one input.", example, call.span)
    positional = tuple(part for part in call.positional if not _is_event_time(draft, call, part))
    if len(positional) > len(durations):
        raise SqlError(f"{call.function} has too many arguments.", example, call.span)
    parameters = {**dict.fromkeys(durations, Kind.DURATION), **others, **LATENESS}
    values = {name: one.value for name, one in _arguments(call, positional, parameters).items()}
    missing = [name for name in durations if name not in values]
    if missing:
        raise SqlError(f"{call.function} lacks {' and '.join(missing)}.", example, call.span)
    lateness = {name: values.pop(name) for name in LATENESS if name in values}
    return Window({kind: values}, lateness)


def _arguments(
    call: Call, positional: tuple[Slice, ...], parameters: Mapping[str, Kind]
) -> dict[str, Argument]:
    names = list(parameters)
    if len(positional) > len(names):
        raise SqlError(
            f"{call.function} has too many arguments.", f"Parameters: {', '.join(names)}.", call.span
        )
    by_position = dict(zip(names, positional, strict=False))
    for name, written in call.named.items():
        if name in by_position:
            raise SqlError(f"{name} is given twice.", "Remove one of them.", written.span)
    given = by_position | call.named
    for name, written in given.items():
        if name not in parameters:
            hint = f"Parameters of {call.function}: {', '.join(names)}."
            raise SqlError(f"Unknown parameter {name!r}.", hint, written.span)
    return {name: argument(parameters[name], written) for name, written in given.items()}


def _is_event_time(draft: SqlDraft, call: Call, part: Slice) -> bool:
    """True for ``DESCRIPTOR(ts)``, which can only name the event time.

    Raises:
        SqlError: it names something else.
    """
    reader = Reader(part)
    if not reader.take("DESCRIPTOR"):
        return False
    names = reader.list_of(lambda: reader.name("a field"), "the event time")
    reader.finish()
    source = call.inputs[0]
    times = draft.event_times(draft.reference(source)) if isinstance(source, Named) else frozenset(["_time"])
    if [name.text for name in names if name.text not in times]:
        hint = "Leave DESCRIPTOR out: windows go by the event time that the stream's contract names."
        raise SqlError(f"{names[0].text} isn't the event time of the rows.", hint, part.span)
    return True


def _hint_for(function: str) -> str:
    if function in _HINTS:
        return _HINTS[function]
    known = [*WINDOWS, *(name.upper() for name in FUNCTIONS)]
    close = get_close_matches(function, known, 1)
    return f"Did you mean {close[0]}?" if close else f"Table functions: {', '.join(known)}."
