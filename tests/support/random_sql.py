"""Random queries in the SQL that SQLite and Weir share, right and wrong ones: names are drawn from those that
anything around could have.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Final

TABLES: Final = {"a": ("k", "x", "s"), "b": ("k", "y", "s"), "c": ("x", "y", "w")}
TEXTS: Final = ("s", "w")
"""Fields that are texts; the others are whole numbers."""
WITHIN: Final = "{right}._time BETWEEN {left}._time - INTERVAL '1' DAY AND {left}._time + INTERVAL '1' DAY"
"""SQLite has no time: there, TRUE stands for it."""


@dataclass
class _Around:
    """What a query's expressions may name: aliases with their fields."""

    fields: dict[str, tuple[str, ...]]
    aliases: list[str] = field(default_factory=list)


class RandomSql:
    """Draws queries.

    Attributes:
        random: what draws.
        others: parts of the query that SQLite is to read in other words: conditions on time are TRUE there.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.others: dict[str, str] = {}

    def query(self) -> str:
        """A query; some have WITH, some UNION ALL."""
        draw = self.random.random()
        if draw < 0.15:
            name = self.random.choice(("a", "b", "c", "d"))
            others = {table: fields for table, fields in TABLES.items() if table != name}
            inner, names = self._named_select(others)
            outer = self.select({**TABLES, name: names})
            return f"WITH {name} AS ({inner}) {outer}"
        if draw < 0.25:
            first, names = self._named_select(TABLES)
            shuffled = self.random.sample(names, len(names))
            table = self.random.choice(tuple(TABLES))
            order = shuffled if self.random.random() < 0.5 else names
            return f"{first} UNION ALL SELECT {self._columns_as(order, table)} FROM {table}"
        if draw < 0.35:
            inner, names = self._named_select(TABLES)
            return f"SELECT {', '.join(f't.{name}' for name in names)} FROM ({inner}) AS t"
        return self.select(TABLES)

    def select(self, tables: dict[str, tuple[str, ...]]) -> str:
        """One SELECT."""
        source, around = self._from(tables)
        where = f" WHERE {self.condition(around, 2)}" if self._often(0.4) else ""
        if self._often(0.4):
            return self._grouped(source, where, around)
        return f"SELECT {self._items(around)} FROM {source}{where}"

    def _named_select(self, tables: dict[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
        """A simple SELECT with known columns: a number first, then a text."""
        table = self.random.choice(tuple(tables))
        around = _Around({table: tables[table]})
        names = (*self.random.sample(("k", "x", "y", "z"), 2), self.random.choice(TEXTS))
        items = [f"{self.number(around, 1)} AS {names[0]}", f"{self.number(around, 1)} AS {names[1]}"]
        items.append(f"{self.text(around)} AS {names[2]}")
        where = f" WHERE {self.condition(around, 1)}" if self._often(0.5) else ""
        return f"SELECT {', '.join(items)} FROM {table}{where}", names

    def _columns_as(self, names: list[str] | tuple[str, ...], table: str) -> str:
        around = _Around({table: TABLES[table]})
        return ", ".join(
            f"{self.text(around) if name in TEXTS else self.number(around, 1)} AS {name}" for name in names
        )

    def _from(self, tables: dict[str, tuple[str, ...]]) -> tuple[str, _Around]:
        left = self.random.choice(tuple(tables))
        left_alias = self.random.choice((left, "l", "t"))
        around = _Around({left_alias: tables[left]})
        text = f"{left} AS {left_alias}" if left_alias != left else left
        if self._often(0.4):
            right = self.random.choice([table for table in tables if table != left])
            right_alias = self.random.choice((right, "r", "u"))
            around.fields[right_alias] = tables[right]
            kind = self.random.choice(("JOIN", "JOIN", "LEFT JOIN"))
            bound = WITHIN.format(left=left_alias, right=right_alias)
            self.others[bound] = "TRUE"
            shared = [name for name in tables[left] if name in tables[right]]
            if shared and self._often(0.2):
                name = f"{right} AS {right_alias}" if right_alias != right else right
                return f"{text} JOIN {name} USING ({self.random.choice(shared)})", around
            if self._often(0.2):
                del around.fields[right_alias]
                return self._one_sided(text, left_alias, tables[left], right, tables[right]), around
            numbers = [[name for name in tables[table] if name not in TEXTS] for table in (left, right)]
            keys = f"{left_alias}.{self.random.choice(numbers[0])} = {right_alias}."
            keys += self.random.choice(numbers[1])
            more = f" AND {self.condition(around, 0)}" if self._often(0.3) else ""
            name = f"{right} AS {right_alias}" if right_alias != right else right
            text += f" {kind} {name} ON {keys} AND {bound}{more}"
        return text, around

    def _one_sided(
        self, left: str, alias: str, fields: tuple[str, ...], right: str, others: tuple[str, ...]
    ) -> str:
        """A semi or anti join; SQLite has EXISTS, in a query of its own."""
        word = self.random.choice(("SEMI", "ANTI"))
        key = f"{alias}.{fields[0]} = z.{others[0]}"
        bound = WITHIN.format(left=alias, right="z")
        not_ = "NOT " if word == "ANTI" else ""
        table, _, name = left.partition(" AS ")
        written = f"{left} LEFT {word} JOIN {right} AS z ON {key} AND {bound}"
        self.others[written] = (
            f"(SELECT * FROM {left} WHERE {not_}EXISTS (SELECT 1 FROM {right} AS z WHERE {key})) "
            f"AS {name or table}"
        )
        return written

    def _changed_star(self, around: _Around) -> str:
        """``*`` with changes and expressions beside it; SQLite has lists of columns."""
        ((alias, fields),) = around.fields.items()
        names = self.random.sample(fields, len(fields))
        excepted = names[: self.random.randint(0, 1)]
        replaced = {name: self._of_kind(around, name) for name in names[1 : self.random.randint(1, 2)]}
        renamed = {name: f"{name}_new" for name in names[1 : self.random.randint(1, 3)]}
        if len(names) > 2 and self._often(0.3):
            renamed = {names[1]: names[2], names[2]: names[1]}
        beside = [f"{self.number(around, 1)} AS n{at}" for at in range(self.random.randint(0, 2))]
        words = f" EXCEPT ({', '.join(excepted)})" if excepted else ""
        if replaced:
            words += f" REPLACE ({', '.join(f'{made} AS {name}' for name, made in replaced.items())})"
        if renamed:
            words += f" RENAME ({', '.join(f'{old} AS {new}' for old, new in renamed.items())})"
        written = ", ".join([f"*{words}", *beside])
        kept = [replaced.get(name, f"{alias}.{name}") for name in fields if name not in excepted]
        self.others[f"SELECT {written} FROM"] = f"SELECT {', '.join([*kept, *beside])} FROM"
        return written

    def _of_kind(self, around: _Around, name: str) -> str:
        return self.text(around) if name in TEXTS else self.number(around, 1)

    def _items(self, around: _Around) -> str:
        if self._often(0.15):
            return "*"
        if len(around.fields) == 1 and self._often(0.3):
            return self._changed_star(around)
        found = []
        for at in range(self.random.randint(1, 4)):
            made = self.text(around) if self._often(0.3) else self.number(around, 2)
            alias = self.random.choice(("k", "x", "y", "s", "n", "m")) if self._often(0.5) else f"c{at}"
            found.append(f"{made} AS {alias}" if self._often(0.9) else self._name(around, TEXTS))
        return ", ".join(found)

    def _grouped(self, source: str, where: str, around: _Around) -> str:
        keys = [self._key(around) for _ in range(self.random.randint(1, 2))]
        items = []
        for key in keys:
            alias = self.random.choice(("k", "x", "y", "s", "g"))
            is_computed = not key.replace(".", "").isalnum()
            items.append(f"{key} AS {alias}" if is_computed or self._often(0.5) else key)
            around.aliases.append(alias)
            if self._often(0.3):
                items.append(f"{self._over_key(key)} AS {self.random.choice(('g', 'h', 'x'))}")
        for _ in range(self.random.randint(1, 3)):
            alias = self.random.choice(("k", "x", "n", "m", "sum", "count"))
            items.append(f"{self._measures(around)} AS {alias}")
            around.aliases.append(alias)
        having = f" HAVING {self._having(around, keys)}" if self._often(0.5) else ""
        self.random.shuffle(items)
        return f"SELECT {', '.join(items)} FROM {source}{where} GROUP BY {', '.join(keys)}{having}"

    def _measures(self, around: _Around) -> str:
        measure = self._measure(around)
        draw = self.random.random()
        if draw < 0.6:
            return measure
        other = self._measure(around) if draw < 0.8 else self._name(around)
        return f"{measure} {self.random.choice(('+', '-', '*'))} {other}"

    def _measure(self, around: _Around) -> str:
        value = self.number(around, 1)
        made = self.random.choice(
            ("count(*)", f"count({value})", f"sum({value})", f"min({value})", f"count(DISTINCT {value})")
        )
        return f"{made} FILTER (WHERE {self.condition(around, 0)})" if self._often(0.2) else made

    def _key(self, around: _Around) -> str:
        """A field, or an expression that SELECT and HAVING may repeat."""
        if self._often(0.6):
            return self._name(around)
        one, other = self._number_name(around), self._number_name(around)
        words = self._name(around, TEXTS)
        return self.random.choice(
            (f"coalesce({one}, {other})", f"{one} + {other}", f"({one} - {other})", f"upper({words})")
        )

    def _over_key(self, key: str) -> str:
        """A number from a key. Where nothing is around it, an operator may take only a part of it."""
        return self.random.choice((f"2 * {key}", f"coalesce({key}, 3) + 1", f"2 * ({key})", f"{key} * 2"))

    def _having(self, around: _Around, keys: list[str]) -> str:
        named = [self._measure(around), *around.aliases, *(key for key in keys if key not in TEXTS)]
        named += [self._over_key(key) for key in keys]
        return f"{self.random.choice(named)} {self.random.choice(('>', '<', '=', '<>'))} {self._literal()}"

    def _name(self, around: _Around, kinds: tuple[str, ...] | None = None) -> str:
        """A field, with an alias or without; seldom one that is not there."""
        alias = self.random.choice(tuple(around.fields))
        fields = around.fields[alias] if self._often(0.97) else ("k", "x", "y", "s", "w")
        wanted = [name for name in fields if kinds is None or name in kinds] or [fields[0]]
        name = self.random.choice(wanted)
        return f"{alias}.{name}" if self._often(0.6) else name

    def _number_name(self, around: _Around) -> str:
        return self._name(around, ("k", "x", "y", "z"))

    def number(self, around: _Around, depth: int) -> str:
        """A whole number, or null."""
        draw = self.random.random()
        if depth == 0 or draw < 0.4:
            return self._number_name(around) if draw < 0.3 else self._literal()
        one, other = self.number(around, depth - 1), self.number(around, depth - 1)
        if draw < 0.7:
            return f"{one} {self.random.choice(('+', '-', '*'))} {other}"
        if draw < 0.8:
            return f"({one} - {other})"
        if draw < 0.9:
            return f"coalesce({one}, {other})"
        last = f" ELSE {other}" if self._often(0.5) else ""
        return f"CASE WHEN {self.condition(around, depth - 1)} THEN {one}{last} END"

    def text(self, around: _Around) -> str:
        """A text, or null."""
        draw = self.random.random()
        if draw < 0.6:
            return self._name(around, TEXTS)
        if draw < 0.8:
            return f"{self._name(around, TEXTS)} || '{self.random.choice(('a', 'B', ''))}'"
        return f"upper({self._name(around, TEXTS)})"

    def condition(self, around: _Around, depth: int) -> str:
        """True, false, or null."""
        draw = self.random.random()
        if depth and draw < 0.45:
            one, other = self.condition(around, depth - 1), self.condition(around, depth - 1)
            sign = self.random.choice(("AND", "OR"))
            return f"NOT {one} {sign} {other}" if draw < 0.12 else f"{one} {sign} {other}"
        name = self._number_name(around)
        match int(draw * 100) % 7:
            case 0:
                return f"{name} IS {self.random.choice(('', 'NOT '))}NULL"
            case 1:
                listed = [self._literal(), self.random.choice(("NULL", "2")), self._literal()]
                return f"{name} {self.random.choice(('', 'NOT '))}IN ({', '.join(listed)})"
            case 2:
                between = f"BETWEEN {self._literal()} AND {self._literal()}"
                return f"{name} {self.random.choice(('', 'NOT '))}{between}"
            case 3:
                return f"{self._name(around, TEXTS)} LIKE '{self.random.choice(('a%', '%b', '_', 'A%'))}'"
            case _:
                sign = self.random.choice(("=", "<>", "<", "<=", ">", ">="))
                return f"{self.number(around, min(depth, 1))} {sign} {self._literal()}"

    def _literal(self) -> str:
        return str(self.random.randint(0, 4))

    def _often(self, share: float) -> bool:
        return self.random.random() < share
