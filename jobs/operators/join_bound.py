"""The checked form of a join, which its lowering and its script read."""

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
        after: how much later; None without bounds.
        where: over the pair's fields, or None.
        names: (right field, its name in the pair) of every right field that a pair has, in order; the rows of
            semi and anti are left rows, so there only of those that `where` reads.
        time: of a pair.
        slack: of the inputs: rows are late by it, and null rows due after it.
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
        """What holds for the keys of a pair, in Spark's SQL over the columns `_l_key0`, `_r_key0` and so on;
        null meets nobody.
        """
        indexes = range(len(self.on))
        equal = [f"_l_key{i} = _r_key{i}" for i in indexes]
        # Spark 4.3 looks a full join's partners up by the bytes of the key, where null equals null; from all
        # other joins it keeps null keys away by itself. Said of both sides at once, because a row that fails
        # a condition of its own side appears before its time.
        present = (
            [f"coalesce(_l_key{i}, _r_key{i}) IS NOT NULL" for i in indexes] if self.type == "full" else []
        )
        return [*equal, *present]

    def condition(self, time: str) -> str:
        """When two rows are a pair, in Spark's SQL over the columns of `keys_meet`, and their times: ``_l``
        or ``_r`` and this name.
        """
        left, right, parts = f"_l{time}", f"_r{time}", self.keys_meet
        if self.before is None:
            # Always true. Spark refuses late rows by a time that something reads; without bounds, and where
            # nothing reads the pairs' time, it would leave the times out.
            parts.append(f"NOT (unix_micros(least({left}, {right})) <=> -9000000000000000000L)")
        if self.before is not None and self.after is not None:
            parts += [
                f"{right} >= {left} + {interval(Duration(-self.before.us))}",
                f"{right} <= {left} + {interval(self.after)}",
            ]
        if self.where is not None:
            # Of a row that may stay alone Spark would ask at once what it can tell without a partner, and
            # give it out before it is due.
            of_pairs = "" if self._lets_go(self.where.fields) else " <=> (_l_key0 <=> _r_key0)"
            parts.append(f"(({self.where.sql}){of_pairs})")
        return " AND ".join(parts)

    def _lets_go(self, fields: frozenset[str]) -> bool:
        """A condition on these fields may take rows away before they are joined: those of sides that give no
        row alone.
        """
        of_right = fields & {name for _, name in self.names}
        alone = {"left": fields - of_right, "anti": fields - of_right, "right": of_right, "full": fields}
        return not alone.get(self.type)
