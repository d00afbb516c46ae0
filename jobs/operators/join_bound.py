"""The bound form of a join, which its lowering and its script read."""

from dataclasses import dataclass
from typing import Final, Literal

from jobs.base.durations import Duration
from jobs.expressions import Expression
from jobs.expressions.sql_times import interval
from jobs.operators.join_fields import KeyPair

JoinType = Literal["inner", "left", "right", "full", "semi", "anti"]
PairTime = Literal["later", "left", "right"]

ONE_SIDED: Final = ("semi", "anti")
"""Their rows are left rows."""


@dataclass(frozen=True, slots=True)
class JoinBound:
    """What the lowering needs.

    Attributes:
        type: of the join.
        on: at least one pair of key fields.
        before: how much earlier the right row may be; None without bounds.
        after: how much later the right row may be; None without bounds.
        where: condition over the pair's fields, or None.
        names: (right field, its name in the pair) of every right field of a pair, in order; for semi and
            anti, whose rows are left rows, only of those that `where` reads.
        time: which row's event time a pair gets.
        slack: of the inputs; it delays when rows are late and when rows without a match are output.
    """

    type: JoinType
    on: tuple[KeyPair, ...]
    before: Duration | None
    after: Duration | None
    where: Expression | None
    names: tuple[tuple[str, str], ...]
    time: PairTime
    slack: Duration

    @property
    def keys_meet(self) -> list[str]:
        """Spark SQL of the key conditions of a pair, over the columns `_l_key0`, `_r_key0` and so on; null
        matches nothing.
        """
        indexes = range(len(self.on))
        equal = [f"_l_key{i} = _r_key{i}" for i in indexes]
        # Spark 4.3 finds the matches of a full join by the bytes of the key, where null equals null; for all
        # other joins it filters out null keys itself. The condition reads both sides, because a row that
        # fails a condition on its own side alone is output too early.
        present = (
            [f"coalesce(_l_key{i}, _r_key{i}) IS NOT NULL" for i in indexes] if self.type == "full" else []
        )
        return [*equal, *present]

    def condition(self, time: str) -> str:
        """Spark SQL of the condition under which two rows are a pair, over the columns of `keys_meet` and the
        times of both rows, ``_l`` and ``_r`` followed by `time`.
        """
        left, right, parts = f"_l{time}", f"_r{time}", self.keys_meet
        never = f"unix_micros(least({left}, {right})) <=> -9000000000000000000L"
        if self.before is None:
            # Spark drops late rows by the event time only if something reads it; without bounds, and where
            # nothing reads the pairs' time, it would prune these columns.
            parts.append(f"NOT ({never})")
        if self.before is not None and self.after is not None:
            parts += [
                f"{right} >= {left} + {interval(Duration(-self.before.us))}",
                f"{right} <= {left} + {interval(self.after)}",
            ]
        if self.where is not None:
            # For a row that may be output without a match, Spark would evaluate conditions on that row alone
            # at once and output the row too early; and where it knows that a condition never holds, it would
            # forget the keys, without which it joins no streams.
            where = f"({self.where.sql})"
            is_free = self._lets_go(self.where.fields)
            parts.append(where if is_free else f"(coalesce({where}, false) OR {never})")
        return " AND ".join(parts)

    def _lets_go(self, fields: frozenset[str]) -> bool:
        """True when Spark may filter rows by a condition on these fields before the join: there are some, and
        none of them is of a side whose rows may be output without a match.
        """
        of_right = fields & {name for _, name in self.names}
        alone = {"left": fields - of_right, "anti": fields - of_right, "right": of_right, "full": fields}
        return self.type not in alone or bool(fields and not alone[self.type])
