"""join of two streams, and table_join."""

from dataclasses import dataclass
from typing import Any

from tests.oracle.measures import evaluate
from tests.oracle.step import Clock, Step
from tests.oracle.values import Entry, Flow, Row, Undecided, flow_of, identity, in_row_order, micros, rows_of


def right_names(left: list[str], right: list[str], prefix: str) -> dict[str, str]:
    """Name in the joined row of every right field."""
    return {name: f"{prefix}{name}" if name in left else name for name in right}


@dataclass
class Waiting:
    """A row of one side."""

    row: Row
    matched: bool = False


class Join(Step):
    """Every row of one side against every row of the other."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.type = written.get("type", "inner")
        between = written.get("between")
        self.input_slack = self.slack
        self.before, self.after = (
            (micros(between.get("before", "0s")), micros(between["after"])) if between else (None, None)
        )
        self.slack += self._own_slack(max(self.before or 0, self.after or 0, 0))
        left, right = inputs
        self.names = right_names(list(left.types), list(right.types), written.get("prefix", ""))
        if self.type not in ("semi", "anti"):
            self.types |= {new: right.types[old] for old, new in self.names.items()}
        self.left: list[Waiting] = []
        self.right: list[Waiting] = []
        self.row_ids = self.row_ids and self.type in ("semi", "anti")

    def _own_slack(self, widest: int) -> int:
        """Rows without a match wait until the watermark has passed their bound: up to the next
        millisecond.
        """
        if self.before is None or self.type in ("inner", "semi"):
            return widest
        return -(-widest // 1_000) * 1_000 + 1_000

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        emitted: list[Row] = []
        new_left, new_right = (self._timely(rows_of(flow), clock) for flow in flows)
        for left in new_left:
            emitted += self._pairs([(left, right) for right in self.right])
        if self.type == "semi" and any(self._lost_by_spark(right, new_left, clock) for right in new_right):
            raise Undecided("A semi join of Spark 4.3 loses this pair.")
        self.left += new_left
        for right in new_right:
            emitted += self._pairs([(left, right) for left in self.left])
        self.right += new_right
        emitted += self._lonely(clock)
        return {"": flow_of(emitted), "late": []}

    def _lost_by_spark(self, right: Waiting, new_left: list[Waiting], clock: Clock) -> bool:
        """Spark reads a semi join's right rows first, and drops those that expire in the same batch."""
        due = (
            self.before is not None
            and not clock.endless
            and clock.passed(right.row.t + self.before + self.input_slack)
        )
        return due and any(
            not left.matched and self._match(left.row, right.row, self._pair(left.row, right.row))
            for left in new_left
        )

    def _timely(self, rows: list[Row], clock: Clock) -> list[Waiting]:
        timely = [Waiting(row) for row in rows if not clock.refuses(row.t + self.input_slack)]
        self.late += len(rows) - len(timely)
        return timely

    def _pairs(self, candidates: list[tuple[Waiting, Waiting]]) -> list[Row]:
        made = []
        for left, right in candidates:
            pair = self._pair(left.row, right.row)
            if not self._match(left.row, right.row, pair):
                continue
            first = not left.matched
            left.matched = right.matched = True
            if self.type == "semi":
                made += [left.row] if first else []
            elif self.type != "anti":
                made.append(pair)
        return made

    def _match(self, left: Row, right: Row, pair: Row) -> bool:
        for one, other in self.written["on"].items():
            if left.values[one] is None or left.values[one] != right.values[other]:
                return False
        if (
            self.before is not None
            and self.after is not None
            and not -self.before <= right.t - left.t <= self.after
        ):
            return False
        return "where" not in self.written or evaluate(str(self.written["where"]), pair) is True

    def _pair(self, left: Row, right: Row) -> Row:
        values = left.values | {self.names[name]: value for name, value in right.values.items()}
        t = {"later": max(left.t, right.t), "left": left.t, "right": right.t}[
            self.written.get("time", "later")
        ]
        return Row(values, t, [left.id, right.id])

    def _lonely(self, clock: Clock) -> list[Row]:
        """Rows whose partner can no longer come, as far as the type wants them.

        Raises:
            Undecided: one may come with the next step of the watermark as well.
        """
        if self.before is None or self.after is None:
            return []
        made = []
        sides = ((self.left, self.after), (self.right, self.before))
        if any(self._is_blurred(one, bound, clock) for waiting, bound in sides for one in waiting):
            raise Undecided("Spark measures in whole milliseconds how long a row waits.")
        for waiting in [w for w in self.left if clock.passed(w.row.t + self.after + self.input_slack)]:
            self.left.remove(waiting)
            if waiting.matched or self.type not in ("left", "full", "anti"):
                continue
            nulls = dict.fromkeys(self.names.values())
            made.append(
                waiting.row
                if self.type == "anti"
                else Row(waiting.row.values | nulls, waiting.row.t, [waiting.row.id, None])
            )
        for waiting in [w for w in self.right if clock.passed(w.row.t + self.before + self.input_slack)]:
            self.right.remove(waiting)
            if not waiting.matched and self.type in ("right", "full"):
                shown = dict.fromkeys(self.inputs[0].types) | {
                    self.names[name]: value for name, value in waiting.row.values.items()
                }
                made.append(Row(shown, waiting.row.t, [None, waiting.row.id]))
        return made

    def _is_blurred(self, waiting: Waiting, bound: int, clock: Clock) -> bool:
        """Whether a row is due between two milliseconds, which takes up to two (`docs/semantics/join.md`)."""
        due = waiting.row.t + bound + self.input_slack
        return bool(due % 1_000) and not clock.endless and 0 < clock.close - due <= 2_000


@dataclass
class Version:
    """An entry of a table."""

    t: int
    number: int
    row: Row | None


class TableJoin(Step):
    """Each row with the table's row of its key: as the table is now, or as it was at the row's time.

    A broadcast table is the one of the first batch; there may be several rows with the fields that a row
    names.
    """

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        stream, table = inputs
        self.upsert, self.slack = False, stream.slack
        self.roots, self.row_ids = stream.roots, stream.row_ids
        self.names = right_names(list(stream.types), list(table.types), written.get("prefix", ""))
        self.types |= {new: table.types[old] for old, new in self.names.items()}
        self.as_of = written.get("version", "current") == "as_of"
        self.by_time = table.version_by == "event_time"
        self.broadcast = "broadcast" in written
        self.by_key = sorted(written["on"].values()) == sorted(table.key)
        self.order = (
            [next(one for one, other in written["on"].items() if other == key) for key in table.key]
            if self.by_key
            else []
        )
        self.versions: dict[str, list[Version]] = {}
        self.held: list[Row] = []
        self.seen = 0
        self.taken = False

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        rows, entries = rows_of(flows[0]), flows[1]
        if not (self.broadcast and self.taken):
            self.taken = True
            for entry in entries:
                self._apply(entry)
        refused = [row for row in rows if self.as_of and clock.refuses(row.t + self.slack)]
        self.late += len(refused)
        self.held += [row for row in rows if row not in refused]
        due = [row for row in self.held if not self.as_of or clock.closes(row.t + self.slack)]
        self.held = [row for row in self.held if row not in due]
        made = [
            joined
            for row in in_row_order(due)
            for joined in (self._matches(row) if self.broadcast else self._joined(row))
        ]
        if self.as_of and not clock.endless:
            self._forget(clock.close - micros(self.written.get("retention", "1d")))
        return {"": flow_of(made), "late": self.refused(refused, clock)}

    def _apply(self, entry: Entry) -> None:
        self.seen += 1
        versions = self.versions.setdefault(identity(entry.id), [])
        version = Version(entry.t, self.seen, entry.row)
        if self.as_of:
            versions.append(version)
        elif not (self.by_time and versions and version.t < versions[-1].t):
            versions[:] = [version]

    def _matches(self, row: Row) -> list[Row]:
        current = [
            version.row
            for versions in self.versions.values()
            for version in versions
            if version.row is not None
        ]
        pairs = self.written["on"].items()
        found = [
            other
            for other in current
            if all(row.values[a] is not None and row.values[a] == other.values[b] for a, b in pairs)
        ]
        made = [self._pair(row, other, [] if self.by_key else other.id) for other in found]
        return made if made or self.written.get("type", "inner") == "inner" else [self._pair(row, None, [])]

    def _pair(self, row: Row, other: Row | None, more: list[Any]) -> Row:
        right = {new: other.values[old] if other else None for old, new in self.names.items()}
        return row.having(row.values | right, [*row.id, *more])

    def _joined(self, row: Row) -> list[Row]:
        key = [row.values[name] for name in self.order]
        versions = self.versions.get(identity(key), []) if None not in key else []
        fitting = [version for version in versions if not self.as_of or version.t <= row.t]
        found = max(fitting, key=lambda version: (version.t, version.number)).row if fitting else None
        if found is None and self.written.get("type", "inner") == "inner":
            return []
        return [self._pair(row, found, [])]

    def _forget(self, before: int) -> None:
        for versions in self.versions.values():
            older = [version for version in versions if version.t < before]
            if older:
                newest = max(older, key=lambda version: (version.t, version.number))
                versions[:] = [version for version in versions if version.t >= before or version is newest]
