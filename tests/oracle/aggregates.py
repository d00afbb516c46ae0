"""aggregate over every kind of window, and change."""

from dataclasses import dataclass, field
from typing import Any

from tests.oracle.measures import fails, measure, measure_fails
from tests.oracle.result_types import difference_type, in_range, measure_type, text_type, zero_of
from tests.oracle.step import Clock, Step, keys_of, names_of
from tests.oracle.values import Entry, Flow, Row, identity, in_row_order, micros, rows_of
from tests.oracle.windows import Window, bounds_of, kind_of, window_after, windows_of


@dataclass
class Group:
    """Rows of one key in one window; for change also the rows of the window before."""

    window: Window | None
    key: list[Any]
    rows: list[Row] = field(default_factory=list)
    before: list[Row] = field(default_factory=list)


class Aggregate(Step):
    """Groups by (window, key); sessions and sliding windows are found among the rows that are held."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.kind = kind_of(written.get("window"))
        self.final = (
            written.get("emit", "final" if self.kind in ("session", "sliding") else "update") == "final"
        )
        self.upsert = not self.final
        self.slack += micros(written.get("grace", "0s")) if self.kind != "none" else 0
        self.wait = self.slack  # that windows stay open after their end
        if self.final and self._ends_between():
            self.slack += 1  # a result's time is 1 µs before the end, which the watermark may have reached
        self.by = written.get("by", [])
        self.groups: dict[str, Group] = {}
        self.held: dict[str, list[Row]] = {}
        self.keys: dict[str, list[Any]] = {}
        self.released: dict[str, list[Row]] = {}
        self.row_ids = False
        read = inputs[0].types
        self.types = dict.fromkeys(["window_start", "window_end"] if self.kind != "none" else [], "timestamp")
        self.types |= {
            name: text_type(text, read)
            for name, text in (
                self.by.items() if isinstance(self.by, dict) else zip(self.by, self.by, strict=True)
            )
        }
        self.types |= {name: measure_type(str(text), read) for name, text in written["measures"].items()}

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        rows = rows_of(flows[0])
        apply = {"session": self._sessions, "sliding": self._sliding}.get(self.kind, self._windows)
        emitted, refused = apply(rows, clock)
        return {"": emitted, "late": self.refused(refused, clock, self.wait)}

    def _ends_between(self) -> bool:
        """Whether windows may close at an instant between two milliseconds; sliding ones end with their
        row.
        """
        if self.kind in ("none", "sliding"):
            return False
        written = self.written["window"][self.kind]
        spans = [written[name] for name in ("size", "advance", "offset") if name in written]
        return self.kind == "session" or any(us % 1_000 for us in (self.wait, *map(micros, spans)))

    def fails(self, row: Row) -> bool:
        keys = self.by.values() if isinstance(self.by, dict) else []
        return any(fails(str(text), row) for text in keys) or any(
            measure_fails(str(text), row) for text in self.written["measures"].values()
        )

    def _windows(self, rows: list[Row], clock: Clock) -> tuple[Flow, list[Row]]:
        changed: dict[str, None] = {}
        refused = []
        for row in rows:
            key = keys_of(self.by, row)
            windows = windows_of(self.written.get("window"), row.t)
            open_ = [
                window for window in windows if window is None or not clock.refuses(window[1] + self.wait)
            ]
            self.late += len(windows) - len(open_)
            if not open_:
                refused.append(row)
            for window in open_:
                changed |= {self._group(window, key, row, "rows"): None}
        return self._emitted(changed, clock), refused

    def _group(self, window: Window | None, key: list[Any], row: Row, part: str) -> str:
        name = repr((window, identity(key)))
        group = self.groups.setdefault(name, Group(window, key))
        getattr(group, part).append(row)
        return name

    def _emitted(self, changed: dict[str, None], clock: Clock) -> Flow:
        closed = [
            name
            for name, group in self.groups.items()
            if group.window and clock.closes(group.window[1] + self.wait)
        ]
        if self.kind == "none" and not self.by:
            changed = dict.fromkeys(self.groups)  # the only group is written again by every batch
        emitted = [
            self.result(self.groups[name])
            for name in (closed if self.final else changed)
            if self.groups[name].rows
        ]
        for name in closed:
            del self.groups[name]
        return emitted

    def _sessions(self, rows: list[Row], clock: Clock) -> tuple[Flow, list[Row]]:
        gap = micros(self.written["window"]["session"]["gap"])
        refused = []
        for row in rows:
            if clock.refuses(row.t + gap + self.wait):
                refused.append(row)
                continue
            self._hold(row)
        self.late += len(refused)
        emitted: Flow = []
        for name, held in self.held.items():
            open_: list[Row] = []
            for session in _runs(held, gap):
                end = session[-1].t + gap
                if clock.closes(end + self.wait):
                    emitted.append(self.result(Group((session[0].t, end), self.keys[name], session)))
                else:
                    open_ += session
            self.held[name] = open_
        return emitted, refused

    def _sliding(self, rows: list[Row], clock: Clock) -> tuple[Flow, list[Row]]:
        size = micros(self.written["window"]["sliding"]["size"])
        refused = [row for row in rows if clock.refuses(row.t + self.wait)]
        self.late += len(refused)
        for row in rows:
            if not clock.refuses(row.t + self.wait):
                self._hold(row)
        emitted: Flow = []
        for name, held in self.held.items():
            due = [row for row in held if clock.closes(row.t + self.wait)]
            self.held[name] = [row for row in held if not clock.closes(row.t + self.wait)]
            sequence = self.released.setdefault(name, [])
            sequence += in_row_order(due)
            for t in sorted({row.t for row in due}):
                inside = [row for row in sequence if t - size < row.t <= t]
                emitted.append(self.result(Group((t + 1 - size, t + 1), self.keys[name], inside)))
        return emitted, refused

    def _hold(self, row: Row) -> None:
        key = keys_of(self.by, row)
        self.keys[identity(key)] = key
        self.held.setdefault(identity(key), []).append(row)

    def result(self, group: Group) -> Entry:
        """The row of a group."""
        id_ = [*bounds_of(group.window), *group.key]
        values = dict(
            zip(
                [*(["window_start", "window_end"] if group.window else []), *names_of(self.by)],
                id_,
                strict=True,
            )
        )
        values |= {name: measure(str(text), group.rows) for name, text in self.written["measures"].items()}
        t = group.window[1] - 1 if group.window else max(row.t for row in group.rows)
        return Entry(id_, Row(values, t, id_), t)


def _runs(rows: list[Row], gap: int) -> list[list[Row]]:
    """Rows that follow each other within the gap."""
    runs: list[list[Row]] = []
    for row in in_row_order(rows):
        if runs and row.t - runs[-1][-1].t <= gap:
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


class Change(Aggregate):
    """The previous aggregate over windows that begin one window earlier, for the rows of the first part."""

    def __init__(self, step: str, written: dict[str, Any], inputs: list[Step]) -> None:
        (below,) = inputs
        assert isinstance(below, Aggregate)
        super().__init__(step, below.written, below.inputs)
        self.change = written
        for name in written["of"]:
            type_ = self.types[name]
            self.types |= {
                f"{name}_previous": type_,
                f"{name}_delta": difference_type(type_),
                f"{name}_percent": "double",
            }

    def _windows(self, rows: list[Row], clock: Clock) -> tuple[Flow, list[Row]]:
        changed: dict[str, None] = {}
        refused = []
        for row in rows:
            key = keys_of(self.by, row)
            (window,) = windows_of(self.written["window"], row.t)
            assert window is not None
            following = window_after(self.written["window"], window)
            if clock.refuses(window[1] + self.wait):
                self.late += 1
                refused.append(row)
            else:
                changed |= {self._group(window, key, row, "rows"): None}
            if not clock.refuses(following[1] + self.wait):
                changed |= {self._group(following, key, row, "before"): None}
        return self._emitted(changed, clock), refused

    def fails(self, row: Row) -> bool:
        return False  # its aggregate counts those; a change counts results whose difference does not fit

    def result(self, group: Group) -> Entry:
        entry = super().result(group)
        assert entry.row is not None
        values = entry.row.values
        failed = False
        for name in self.change["of"]:
            text = str(self.written["measures"][name])
            nothing = zero_of(self.types[name]) if self.change.get("missing") == "zero" else None
            previous = measure(text, group.before) if group.before else nothing
            is_present = previous is not None and values[name] is not None
            delta = in_range(values[name] - previous, self.types[name]) if is_present else None
            failed = failed or (is_present and delta is None)
            percent = None if delta is None or not previous else 100 * float(delta) / abs(float(previous))
            values |= {f"{name}_previous": previous, f"{name}_delta": delta, f"{name}_percent": percent}
        self.errors += failed
        return entry
