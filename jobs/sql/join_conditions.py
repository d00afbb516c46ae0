"""ON of a join: keys, bounds of the time between both rows, and other conditions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from jobs.base.names import SYSTEM_FIELDS
from jobs.expressions.refused_tokens import MAX_PARENTHESES
from jobs.sql.draft import Expression
from jobs.sql.reader import Reader
from jobs.sql.scope import Scope, Side, require_field
from jobs.sql.statements import Join
from jobs.sql.tokens import Slice, SqlError, closing, is_literal, is_word, name_of
from jobs.sql.values import interval

AS_OF: Final = (
    "Use FOR SYSTEM_TIME AS OF orders._time, or PROCTIME() for the table as it is when a row comes."
)
_CLOSED_BY: Final = {
    TokenType.L_PAREN: TokenType.R_PAREN,
    TokenType.L_BRACKET: TokenType.R_BRACKET,
}
COMPARED: Final = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}


@dataclass
class Conditions:
    """What ON says.

    Attributes:
        keys: left field → right field.
        least: of right time − left time, µs; None for no bound.
        most: as least.
            rest: all other conditions.
        difference: a condition that compares the difference of both times.
        equations: left field → the condition that makes it a key, for those of ON.
    """

    keys: dict[str, str] = field(default_factory=dict)
    least: int | None = None
    most: int | None = None
    rest: list[Slice] = field(default_factory=list)
    difference: Slice | None = None
    equations: dict[str, Slice] = field(default_factory=dict)


@dataclass(frozen=True)
class Pair:
    """The sides of one join.

    Attributes:
        left: nodes that were joined already.
        right: the relation to join.
        left_times, right_times: fields that hold the rows' event time.
        members: field and member, of both sides' structs.
        incompatible: (left field, right field) whose types can't be those of keys.
    """

    left: Scope
    right: Side
    left_times: frozenset[str]
    right_times: frozenset[str]
    members: frozenset[tuple[str | None, str]]
    incompatible: Callable[[str, str], bool]

    def sided(self, alias: str | None, name: str) -> str | None:
        """``left`` or ``right``: the side of a field; None if neither has it, or both without an alias."""
        if alias is not None:
            is_right = alias == self.right.alias
            return "right" if is_right else "left" if self.left.side(alias) is not None else None
        in_left, in_right = name in self.left.known, name in self.right.fields
        return None if in_left == in_right else "left" if in_left else "right"

    def in_left(self, alias: str | None, name: str, span: tuple[int, int]) -> str:
        """A left field's name in the rows that were joined already.

        Raises:
            SqlError: a name that its relation does not have, or that two have.
        """
        side = self.left.side(alias) if alias is not None else None
        if side is None:
            self.left.require_clear(name, span)
            return name
        if len(self.left.sides) > 1:
            require_field(side, name, span)
        return side.joined_name(name)

    def require_one_meaning(self, alias: str | None, name: str, span: tuple[int, int]) -> None:
        """Refuse ``alias.field`` where a field called like the alias has such a member, which other
        expressions read.

        Raises:
            SqlError: one has.
        """
        if (alias, name) in self.members:
            message = f"{alias} is a relation and a field, which has a member {name}, too."
            raise SqlError(message, "Give the relation another alias.", span)

    def require_time(self, alias: str | None, name: str, span: tuple[int, int]) -> None:
        """Refuse the time of one relation on the left whose rows have been joined.

        Raises:
            SqlError: rows have another time since.
        """
        side = self.left.side(alias) if alias is not None else None
        if side is not None and name == "_time" and not side.has_system:
            message = f"After the first join, rows have a time of their own, not that of {alias}."
            hint = "Make the first join a view: CREATE VIEW j AS …, then FROM j JOIN … with j._time."
            raise SqlError(message, hint, span)


def conditions(written: Join, pair: Pair) -> Conditions:
    """What a join's USING or ON says.

    Raises:
        SqlError: an interval can't be read, or a name is not clear.
    """
    found = Conditions()
    for name in written.using:
        if name.text in pair.left.ambiguous:
            message = f"{name.text} is a field of several relations on the left."
            raise SqlError(message, "Use ON, with their aliases.", name.span)
        found.keys[name.text] = name.text
    if written.condition is None:
        return found
    for one in conjuncts(written.condition):
        if len(one.tokens) == 1 and is_word(one.tokens[0], "TRUE"):
            continue
        if not (_key(one, pair, found) or _time(one, pair, found)):
            found.rest.append(one)
            if _is_difference(one, pair):
                found.difference = one
    _leave_other_types(found, pair)
    return found


def _leave_other_types(found: Conditions, pair: Pair) -> None:
    """Equations of doubles and the like are conditions, not keys, where there is another key."""
    incompatible = [left for left in found.equations if pair.incompatible(left, found.keys[left])]
    if len(incompatible) < len(found.keys):
        for left in incompatible:
            del found.keys[left]
            found.rest.append(found.equations[left])


class _Depth:
    """How deep a token stands in brackets and CASE … END; END closes no bracket, and may be a field."""

    def __init__(self) -> None:
        self._open: list[TokenType] = []

    def is_outside(self, token: Token) -> bool:
        """Enter or leave with the next token. True if what comes now stands in none."""
        if token.token_type in _CLOSED_BY or is_word(token, "CASE"):
            self._open.append(token.token_type)
        elif token.token_type in _CLOSED_BY.values():
            while self._open and self._open.pop() not in _CLOSED_BY:
                pass
        elif is_word(token, "END") and self._open and self._open[-1] not in _CLOSED_BY:
            self._open.pop()
        return not self._open


def conjuncts(written: Slice, level: int = 0) -> list[Slice]:
    """The parts that AND connects, also within parentheses; the whole if OR does, too."""
    if level > MAX_PARENTHESES:
        return [written]  # refused, as an expression
    inner = _without_parentheses(written)
    parts: list[Slice] = []
    begin, depth, between = 0, _Depth(), False
    before: Token | None = None
    for at, token in enumerate(inner.tokens):
        is_name = before is not None and before.token_type == TokenType.DOT  # s.end, s.or
        before = token
        if is_name or not depth.is_outside(token):
            continue
        if is_word(token, "OR"):
            return [written]
        between = between or is_word(token, "BETWEEN")
        if is_word(token, "AND"):
            if between:
                between = False
                continue
            parts.append(inner.part(begin, at))
            begin = at + 1
    if not parts:
        return [inner] if inner.tokens else []
    return [one for part in [*parts, inner.part(begin)] if part.tokens for one in conjuncts(part, level + 1)]


def _operand(reader: Reader) -> tuple[str | None, str] | None:
    """(Alias or None, field); None, with some of it read, if it is something else."""
    token = reader.peek()
    if token is None or name_of(token) is None or is_literal(token):
        return None
    first = reader.name("a field").text
    if not reader.take("."):
        return None, first
    after = reader.peek()
    if after is None or name_of(after) is None:
        return None
    return first, reader.name("a field").text


def _key(written: Slice, pair: Pair, found: Conditions) -> bool:
    """Take ``left.field = right.field``. False: it is something else."""
    reader = Reader(written)
    first = _operand(reader)
    if first is None or not (reader.take("=") or reader.take("==")):
        return False
    second = _operand(reader)
    if second is None or not reader.done:
        return False
    if {first[1], second[1]} & set(SYSTEM_FIELDS):
        return False
    sides = pair.sided(*first), pair.sided(*second)
    for alias, name in (first, second):
        pair.require_one_meaning(alias, name, written.span)
    if sides == ("right", "left"):
        first, second = second, first
    elif sides != ("left", "right"):
        return False
    left = pair.in_left(*first, written.span)
    if found.keys.get(left, second[1]) != second[1]:
        return False  # a left field has one partner in `on`: the other is a condition
    found.keys[left] = second[1]
    found.equations.setdefault(left, written)
    return True


def _time(written: Slice, pair: Pair, found: Conditions) -> bool:
    """Take a bound of right time − left time. False: it is something else."""
    reader = Reader(written)
    first = _moment(reader, pair)
    if first is None:
        return False
    if reader.take("BETWEEN"):
        low = _moment(reader, pair)
        high = _moment(reader, pair) if low is not None and reader.take("AND") else None
        if low is None or high is None or not reader.done or not low[0] == high[0] != first[0]:
            return False
        _bound(found, first, ">=", low)
        _bound(found, first, "<=", high)
        return True
    token = reader.peek()
    sign = token.text if token is not None else ""
    signs = (">=", "<=") if sign in ("=", "==") else (sign,)
    if any(one not in COMPARED for one in signs):
        return False
    reader.take(sign)
    second = _moment(reader, pair)
    if second is None or not reader.done or second[0] == first[0]:
        return False
    for one in signs:
        _bound(found, first, one, second)
    return True


def _is_difference(written: Slice, pair: Pair) -> bool:
    """True for ``c._time - s._time < …``: after the join, rows don't have both times."""
    reader = Reader(written)
    reader.take("(")
    first = _moment(reader, pair)
    second = _moment(reader, pair) if first is not None and reader.take("-") else None
    if first is None or second is None or first[0] == second[0]:
        return False
    return any(name_of(token) == "_time" for token in written.tokens)


def _moment(reader: Reader, pair: Pair) -> tuple[str, int] | None:
    """(Side, µs after its event time) of ``s._time + INTERVAL '1' MINUTE``; None for anything else."""
    found = _moved(reader, pair, 0)
    return None if found is None else (found[0], sum(found[1]))


def _moved(reader: Reader, pair: Pair, depth: int) -> tuple[str, list[int]] | None:
    """As `_moment`, with each interval. Parentheses stand around a time with intervals; a time alone in
    parentheses is none: so conditions are written that are no bounds.
    """
    if reader.at("("):
        reader.take("(")
        inner = _moved(reader, pair, depth + 1) if depth < MAX_PARENTHESES else None
        if inner is None or not inner[1] or not reader.take(")"):
            return None
        side, intervals = inner
    else:
        found = _time_of(reader, pair)
        if found is None:
            return None
        side, intervals = found, []
    while reader.at("+", "INTERVAL") or reader.at("-", "INTERVAL"):
        sign = 1 if reader.take("+") else -1
        reader.take("-")
        intervals.append(sign * interval(reader).us)
    return side, intervals


def _time_of(reader: Reader, pair: Pair) -> str | None:
    """The side whose event time comes next; None, with some of it read, if it is something else."""
    start = reader.here
    operand = _operand(reader)
    if operand is None:
        return None
    side = pair.sided(*operand)
    if side == "left":
        pair.require_time(*operand, (start[0], reader.read_to))
    times = pair.right_times if side == "right" else pair.left_times
    return side if operand[1] in times else None


def _bound(found: Conditions, first: tuple[str, int], sign: str, second: tuple[str, int]) -> None:
    """Note ``first sign second`` as a bound of right time − left time."""
    if first[0] == "left":
        first, second, sign = second, first, COMPARED[sign]
    limit = second[1] - first[1]
    if sign in (">", ">="):
        least = limit + (sign == ">")
        found.least = least if found.least is None else max(found.least, least)
    else:
        most = limit - (sign == "<")
        found.most = most if found.most is None else min(found.most, most)


def remaining(both: Scope, found: Conditions) -> Expression | None:
    """The other conditions, connected by AND, with the names of the joined rows."""
    if not found.rest:
        return None
    if len(found.rest) == 1:
        return both.expression(_without_parentheses(found.rest[0]))
    parts = [both.text(part) for part in found.rest]
    span = found.rest[0].span[0], found.rest[-1].span[1]
    text = " AND ".join(text for text, _ in parts)
    return Expression(text, span, verbatim=False)


def _without_parentheses(written: Slice) -> Slice:
    """A condition without the parentheses around all of it."""
    for _ in range(MAX_PARENTHESES):
        tokens = written.tokens
        if (
            tokens[0].token_type != TokenType.L_PAREN
            or closing(tokens, 0) != len(tokens) - 1
            or len(tokens) <= 2
        ):
            return written
        written = written.part(1, -1)
    return written


def is_as_of(time: Slice, pair: Pair) -> bool:
    """True for the left row's event time, False for the time at which it is processed."""
    if [word.upper() for word in time.words] == ["PROCTIME", "(", ")"]:
        return False
    reader = Reader(time)
    operand = _operand(reader)
    sides = ("left", None) if operand is not None and operand[0] is None else ("left",)
    is_time = operand is not None and reader.done and operand[1] in pair.left_times
    if operand is None or not is_time or pair.sided(*operand) not in sides:
        raise SqlError("This isn't the event time of the left row.", AS_OF, time.span)
    pair.require_time(*operand, time.span)
    return True
