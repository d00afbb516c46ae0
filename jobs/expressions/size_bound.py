"""How much larger than what it reads an expression's value can become
(`docs/decisions/2026-11-23-sizes-of-rows.md`).

One record must not take an engine's memory, since an engine serves several jobs. So the check computes for
each part of an expression how many times what it reads it can be, at most:

- up to `UNCHECKED_FACTOR` times nothing is done, as a row is bounded (`MAX_ROW_BYTES`);
- up to `MAX_SIZE_FACTOR` times the engine looks at the sizes of the fields that are read before it computes
  the expression, which is null, and counted as an error, where it could exceed `MAX_VALUE_BYTES`;
- beyond that the expression is refused.

A `replace` may multiply two values of a row. Its own result is bounded when it is computed
(`MAX_REPLACED_BYTES`).

Sizes are those of `jvm/src/weir/sizes/Sizes.java`: bytes of texts, and 8 bytes for each other value, each
element and each member.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from jobs.base.types import BYTES, STRING, Array, DataType, Map, Struct
from jobs.expressions.errors import ExpressionError
from jobs.expressions.functions.sequences import MAX_SEQUENCE
from jobs.expressions.functions.strings import MAX_REPLACED_BYTES, grows_by_replacing, replaced_bytes
from jobs.expressions.nodes import Call, Case, Cast, Column, Lambda, Literal, MemberOf, Tree, Variable
from jobs.expressions.regex_safety import can_match_nothing

MAX_ROW_BYTES: Final = 8 << 20
MAX_VALUE_BYTES: Final = 64 << 20
UNCHECKED_FACTOR: Final = MAX_VALUE_BYTES // MAX_ROW_BYTES
MAX_SIZE_FACTOR: Final = 1_000
MAX_MADE_BYTES: Final = 1_000_000
MAX_REPLACED: Final = MAX_VALUE_BYTES // MAX_REPLACED_BYTES
_SCALAR_BYTES: Final = 8
_MOST_BYTES: Final = 4  # of a character
_NUMBER_TEXT_BYTES: Final = 430  # 309 digits of a double, their commas, ten digits after the point
_CAST_TEXT_BYTES: Final = 40  # a number or an instant, cast: a decimal has 38 digits, a sign and a point
_FIXED: Final = {  # bytes at most, whatever they are made of
    "md5": 32,
    "sha1": 40,
    "sha2": 128,
    "conv": 64,
    "day_name": 9,
    "format_number": _NUMBER_TEXT_BYTES,
    "month_name": 9,
}
_PADDED: Final = ("lpad", "rpad")
# Times their arguments, at most: an escape such as \u0000 has six characters, and 8 bytes for each element of
# a text of separators.
_TIMES: Final = {
    "hex": 2,
    "base64": 2,
    "url_encode": 3,
    "translate": 4,
    "to_json": 8,
    "split": 8,
    "str_to_map": 8,
    "regexp_extract_all": 8,
    "json_object_keys": 8,
}


Read = str | int | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a value.

    Attributes:
        read: how many times each field, member of a struct (field, member) or variable of a lambda is in it.
        made: bytes of literals, sequences and numbers.
        replaced: how many results of `replace` are in it.
    """

    read: Counter[Read] = field(default_factory=Counter)
    made: int = 0
    replaced: int = 0

    def times(self, count: int) -> "Size":
        """That often side by side."""
        read = Counter({name: often * count for name, often in self.read.items()})
        return Size(read, self.made * count, self.replaced * count)

    def plus(self, other: "Size") -> "Size":
        """Both side by side."""
        return Size(self.read + other.read, self.made + other.made, self.replaced + other.replaced)

    def most(self, other: "Size") -> "Size":
        """One or the other."""
        return Size(self.read | other.read, max(self.made, other.made), max(self.replaced, other.replaced))

    @property
    def factor(self) -> int:
        """Times a row that has the fields: members of a struct share its size."""
        members = Counter[Read]()
        for read, often in self.read.items():
            if isinstance(read, tuple):
                members[read[0]] = max(members[read[0]], often)
        whole = Counter({read: often for read, often in self.read.items() if not isinstance(read, tuple)})
        return max((whole + members).values(), default=0)

    def of_row(self, row_bytes: int) -> int:
        """Bytes at most, for a row of so many."""
        return self.factor * row_bytes + self.made + self.replaced * MAX_REPLACED_BYTES


NO_SIZE: Final = Size()


@dataclass(frozen=True, slots=True)
class SizeBound:
    """What the check of an expression's size found.

    Attributes:
        value: size of its value.
        looked_at: field → times that it is in the largest part, for fields of parts that the engine must look
            at before they are computed; empty where none is.
    """

    value: Size
    looked_at: dict[str, int]


def size_bound(tree: Tree) -> SizeBound:
    """The bound of what an expression makes.

    Raises:
        ExpressionError: no look at the fields would bound it.
    """
    measured = _Measured()
    value = measured.size(tree)
    looked_at = Counter[str]()
    for read, often in measured.large.items():
        if not isinstance(read, int):
            looked_at[read if isinstance(read, str) else read[0]] += often
    return SizeBound(value, looked_at)


class _Measured:
    """Sizes of a tree's parts; a large part may make a small value, so each is looked at.

    `large`: fields and variables of parts above `UNCHECKED_FACTOR`, with the most times.
    """

    def __init__(self) -> None:
        self.large: Counter[Read] = Counter()

    def size(self, tree: Tree) -> Size:
        """Size of a value."""
        match tree:
            case MemberOf(argument=Column(name=struct), name=member):
                return _as(tree.type, Size(Counter({(struct, member): 1})))
            case Cast() if is_sized(tree.type) and not is_sized(tree.argument.type):
                self.size(tree.argument)
                return Size(made=_CAST_TEXT_BYTES)
            case MemberOf() | Cast():
                return _as(tree.type, self.size(tree.argument))
            case Case():
                return _as(tree.type, self._largest_branch(tree))
            case Call():
                return _as(tree.type, self._bounded(self._called(tree)))
            case _:
                return _as(tree.type, _leaf(tree))

    def _bounded(self, size: Size) -> Size:
        complaint = _complaint(size)
        if complaint:
            raise ExpressionError(
                "EXPRESSION_INVALID", complaint, "Repeat less, or avoid sequences inside lambdas."
            )
        if size.factor > UNCHECKED_FACTOR:
            self.large |= size.read
        return size

    def _largest_branch(self, tree: Case) -> Size:
        for condition, _ in tree.branches:
            self.size(condition)
        values = [value for _, value in tree.branches]
        values += [] if tree.otherwise is None else [tree.otherwise]
        return reduce(Size.most, map(self.size, values), NO_SIZE)

    def _called(self, call: Call) -> Size:
        plain = [self.size(argument) for argument in call.arguments if not isinstance(argument, Lambda)]
        grown = _GROWN.get(call.name)
        size = _sum(plain).times(_TIMES.get(call.name, 1)) if grown is None else grown(call, plain)
        for argument in call.arguments:
            if isinstance(argument, Lambda):
                size = self._applied(size, argument)
        return size

    def _applied(self, elements: Size, function: Lambda) -> Size:
        """A lambda's values, one for each element: its variables are parts of them, and every element has at
        least 8 bytes.
        """
        body = self.size(function.body)
        own = {variable.number for variable in function.variables}
        self._resolve(own, elements)
        share = sum(often for name, often in body.read.items() if name in own)
        others = Counter({name: often for name, often in body.read.items() if name not in own})
        made = -(-body.made // _SCALAR_BYTES)
        # A replace inside a lambda has a result for each element.
        factor = max(1, share + made) if not body.replaced else MAX_SIZE_FACTOR + 1
        return elements.times(factor).plus(Size(others))

    def _resolve(self, own: set[int], elements: Size) -> None:
        """Large parts of a lambda in terms of what its elements are read from."""
        for number in own & self.large.keys():
            self.large |= elements.times(self.large[number]).read


def _complaint(size: Size) -> str:
    if size.factor > MAX_SIZE_FACTOR:
        return (
            f"The result can be {size.factor:,} times as large as the input; the limit is "
            f"{MAX_SIZE_FACTOR:,} times."
        )
    if size.made > MAX_MADE_BYTES:
        return f"The result can have {size.made:,} bytes; the limit is {MAX_MADE_BYTES:,} bytes."
    if size.replaced > MAX_REPLACED:
        return f"The result can hold {size.replaced} results of replace; the limit is {MAX_REPLACED}."
    return ""


def _leaf(tree: Tree) -> Size:
    match tree:
        case Literal(value=str() | bytes() as value):
            return Size(made=max(1, _bytes(value)))  # an array of empty ones has its elements
        case Column(name=read) | Variable(number=read):
            return Size(Counter({read: 1}))
        case _:
            return Size(made=_SCALAR_BYTES)


def _bytes(value: object) -> int:
    return replaced_bytes(value) if isinstance(value, str) else len(value) if isinstance(value, bytes) else 0


def _literal(tree: Tree) -> object:
    return tree.value if isinstance(tree, Literal) else None


def _count(tree: Tree) -> int:
    value = _literal(tree)
    return abs(value) if isinstance(value, int) else 1


def _repeated(call: Call, parts: list[Size]) -> Size:
    return parts[0].times(_count(call.arguments[1]))


def _array_repeated(call: Call, parts: list[Size]) -> Size:
    """Each element has 8 bytes beside its text."""
    return parts[0].plus(Size(made=_SCALAR_BYTES)).times(_count(call.arguments[1]))


def _listed(call: Call, parts: list[Size]) -> Size:
    """As `_array_repeated`; a number has no more than these."""
    sized = sum(is_sized(argument.type) for argument in call.arguments)
    return _sum(parts).plus(Size(made=_SCALAR_BYTES * sized))


def _padded(call: Call, parts: list[Size]) -> Size:
    return parts[0].plus(Size(made=_count(call.arguments[1]) * _MOST_BYTES))


def _joined(call: Call, parts: list[Size]) -> Size:
    """An element has 8 bytes beside its text; each gets a separator, or the text for null."""
    between = max(_bytes(_literal(argument)) for argument in call.arguments[1:])
    return parts[0].times(1 + -(-between // _SCALAR_BYTES)).plus(_sum(parts[1:]))


def _separated(call: Call, parts: list[Size]) -> Size:
    return _sum(parts[1:]).plus(parts[0].times(len(call.arguments)))


def _formatted(call: Call, parts: list[Size]) -> Size:
    return _sum(parts).plus(Size(made=_NUMBER_TEXT_BYTES * len(call.arguments)))


def _fixed(call: Call, parts: list[Size]) -> Size:  # noqa: ARG001  (a row of _GROWN)
    """A text of its own, however small or large what it is made of."""
    return Size(made=_FIXED[call.name])


def _coded(call: Call, parts: list[Size]) -> Size:  # noqa: ARG001  (a row of _GROWN)
    """A text that begins with no letter stays as it is."""
    return parts[0].plus(Size(made=_MOST_BYTES))


def _by_pattern(call: Call, parts: list[Size]) -> Size:  # noqa: ARG001  (a row of _GROWN)
    """Hardly more characters than the pattern has: a year may have more digits."""
    return Size(made=_SCALAR_BYTES + 2 * parts[1].made)


def _inserted(call: Call, parts: list[Size]) -> Size:
    return _sum(parts).plus(Size(made=_count(call.arguments[1]) * _SCALAR_BYTES))


def _zipped(call: Call, parts: list[Size]) -> Size:
    """The shorter arrays are filled: the longest one may have all the bytes."""
    return _sum(parts).times(1 + len(call.arguments))


def _replaced(call: Call, parts: list[Size]) -> Size:
    """Literals multiply the text by a number that is known; what they would multiply too often, and texts of
    the row, count as one result with a bound of its own.
    """
    if not grows_by_replacing(call.arguments):
        return parts[0]
    search, into = (_literal(argument) for argument in call.arguments[1:])
    if isinstance(search, str) and isinstance(into, str):
        grown = parts[0].times(-(-_bytes(into) // max(1, _bytes(search))))
        if grown.factor <= UNCHECKED_FACTOR**2 and grown.made <= MAX_MADE_BYTES:
            return grown
    return Size(replaced=1)


def _regexp_replaced(call: Call, parts: list[Size]) -> Size:
    """Each match has a character, or none between two; each reference to a group is a part of the match."""
    pattern, into = str(_literal(call.arguments[1])), str(_literal(call.arguments[2]))
    references = into.count("$")
    more = _bytes(into) - references
    kept = 1 if can_match_nothing(pattern) else 0
    return parts[0].times(max(1, kept + more + references))


def _from_json(call: Call, parts: list[Size]) -> Size:
    """An empty struct in an array is two characters and a comma, and all its members have their places."""
    inside = _places(call.type)
    return (
        parts[0]
        .times(max(_TIMES["split"], -(-inside * _SCALAR_BYTES // 3)))
        .plus(Size(made=_members(call.type) * _SCALAR_BYTES))
    )


def _members(data_type: DataType) -> int:
    """Places of a struct's members, and of theirs, which are there whatever a text says."""
    members = data_type.members if isinstance(data_type, Struct) else ()
    return sum(1 + _members(member.type) for member in members)


def _places(data_type: DataType) -> int:
    """The most places of one element of any array or map inside a type; 0 without one."""
    match data_type:
        case Array(element=inside) | Map(value=inside):
            return max(1 + _members(inside), _places(inside))
        case Struct(members):
            return max((_places(member.type) for member in members), default=0)
        case _:
            return 0


def _sequence(call: Call, parts: list[Size]) -> Size:  # noqa: ARG001  (a row of _GROWN)
    """From the literals, where both ends are."""
    ends = [_literal(argument) for argument in call.arguments[:2]]
    first, last = ends
    length = MAX_SEQUENCE
    if isinstance(first, int) and isinstance(last, int):
        length = min(MAX_SEQUENCE, abs(last - first) + 1)
    return Size(made=length * _SCALAR_BYTES)


_GROWN: Final[dict[str, Callable[[Call, list[Size]], Size]]] = {
    **dict.fromkeys(_PADDED, _padded),
    **dict.fromkeys(_FIXED, _fixed),
    "array": _listed,
    "array_insert": _inserted,
    "array_join": _joined,
    "array_repeat": _array_repeated,
    "arrays_zip": _zipped,
    "concat_ws": _separated,
    "format_string": _formatted,
    "format_timestamp": _by_pattern,
    "from_json": _from_json,
    "regexp_replace": _regexp_replaced,
    "repeat": _repeated,
    "replace": _replaced,
    "sequence": _sequence,
    "soundex": _coded,
}
"""Functions that make more than their arguments together, or than `_TIMES` them."""


def _sum(sizes: Iterable[Size]) -> Size:
    return reduce(Size.plus, sizes, NO_SIZE)


def _as(data_type: DataType, size: Size) -> Size:
    """The size of a value of this type that is computed of values of that size."""
    return size if is_sized(data_type) else Size(made=_SCALAR_BYTES)


def is_sized(data_type: DataType) -> bool:
    """True for types whose values have any size: texts, bytes, arrays, maps and structs."""
    return data_type in (STRING, BYTES) or isinstance(data_type, Array | Map | Struct)
