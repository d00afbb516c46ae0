"""deduplicate, latest and throttle."""

from typing import Any

from tests.oracle.measures import evaluate, fails
from tests.oracle.step import Clock, Step, keys_of
from tests.oracle.values import (
    Entry,
    Flow,
    Row,
    compare_ids,
    compare_rows,
    flow_of,
    identity,
    in_row_order,
    micros,
    moment,
    rows_of,
)


class Deduplicate(Step):
    """The first row of a key passes and holds the key; with exact the time belongs to the key."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.exact = written["within"] == "exact"
        self.hold = 0 if self.exact else micros(written["within"])
        self.held: dict[str, int] = {}
        self.row_ids = False

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        rows = rows_of(flows[0])
        refused = [row for row in rows if clock.refuses(row.t + self.slack)]
        self.late += len(refused)
        kept = []
        for row in in_row_order([row for row in rows if row not in refused]):
            key = keys_of(self.written["by"], row)
            name = identity([*key, moment(row.t)] if self.exact else key)
            if name not in self.held:
                self.held[name] = row.t
                kept.append(row.having(row.values, [*key, moment(row.t)]))
        self.held = {
            name: t
            for name, t in self.held.items()
            if clock.endless or not clock.closes(t + self.hold + self.slack)
        }
        return {"": flow_of(kept), "late": self.refused(refused, clock)}


class Latest(Step):
    """The greatest row of each key."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.upsert = True
        self.newest: dict[str, Row] = {}
        self.row_ids = False

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        changed: dict[str, list[Any]] = {}
        for row in rows_of(flows[0]):
            key = keys_of(self.written["by"], row)
            if None in key:
                self.malformed += 1
                continue
            name = identity(key)
            if name not in self.newest or self._newer(row, self.newest[name]):
                self.newest[name] = row
                changed[name] = key
            elif "ttl" not in self.written:
                changed[name] = (
                    key  # an older row has its key written as it is, which shows in what a step behind counts
                )
        written = {name: self._entry(key, self.newest[name]) for name, key in changed.items()}
        expired = self._expired(clock)
        # A row that has expired when it comes is not written: its key is deleted at once.
        kept = [entry for name, entry in written.items() if name in self.newest]
        return {"": kept + expired}

    def fails(self, row: Row) -> bool:
        keyless = None in keys_of(self.written["by"], row)
        return not keyless and "delete_when" in self.written and fails(str(self.written["delete_when"]), row)

    def _newer(self, row: Row, held: Row) -> bool:
        if self.written.get("order") == "offset":
            return compare_ids(row.id, held.id) > 0  # of one source; pieces of a record have an index more
        return compare_rows(row, held) > 0

    def _entry(self, key: list[Any], row: Row) -> Entry:
        gone = "delete_when" in self.written and evaluate(str(self.written["delete_when"]), row) is True
        return Entry(key, None if gone else row.having(row.values, key), row.t)

    def _expired(self, clock: Clock) -> Flow:
        if "ttl" not in self.written or clock.endless:
            return []
        ttl = micros(self.written["ttl"])
        gone = {name: row for name, row in self.newest.items() if clock.closes(row.t + ttl + self.slack)}
        for name in gone:
            del self.newest[name]
        return [Entry(keys_of(self.written["by"], row), None, row.t) for row in gone.values()]


class Throttle(Step):
    """The first or the last row of each interval of a key; intervals begin with a row."""

    def __init__(self, name: str, written: dict[str, Any], inputs: list[Step]) -> None:
        super().__init__(name, written, inputs)
        self.every = micros(written["every"])
        self.last = written.get("keep") == "last"
        self.own_slack = self.slack
        self.slack += self.every if self.last else 0
        self.held: list[Row] = []
        self.open: dict[str, tuple[int, Row]] = {}  # key → where its interval began, and its last row so far

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        rows = rows_of(flows[0])
        refused = [row for row in rows if clock.refuses(row.t + self.own_slack)]
        self.late += len(refused)
        self.held += [row for row in rows if row not in refused]
        released = in_row_order([row for row in self.held if clock.closes(row.t + self.own_slack)])
        self.held = [row for row in self.held if row not in released]
        passed = [row for one in released for row in self._through(one)]
        for name, (start, newest) in list(self.open.items()):
            if clock.closes(start + self.every + self.own_slack):
                passed += [newest] if self.last else []
                del self.open[name]
        return {"": flow_of(passed)}

    def _through(self, row: Row) -> list[Row]:
        """What passes when this row is released."""
        name = identity(keys_of(self.written["by"], row))
        if name in self.open and row.t - self.open[name][0] < self.every:
            self.open[name] = (self.open[name][0], row)
            return []
        ended = [self.open[name][1]] if name in self.open and self.last else []
        self.open[name] = (row.t, row)
        return ended if self.last else [row]
