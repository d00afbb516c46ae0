"""JSON texts as Spark's reader takes them: single quotes and bare control characters too, and no NaN."""

import json
import re
from typing import Any, Final

from jobs.base.budget import spend

MAX_DEPTH: Final = 1_000  # of arrays and objects: Spark's
_MAX_DIGITS: Final = 1_000  # of a number: Spark's
_MAX_NAME: Final = 50_000  # characters: Spark's
_WATCHED: Final = 1_000  # tokens
_BLANKS: Final = " \t\r\n"
_TOKEN: Final = re.compile(
    r"[ \t\r\n]*+(?:(?P<sign>[{}\[\],:])"
    r"|(?P<text>\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|'[^'\\]*+(?:\\.[^'\\]*+)*+')"
    r"|(?P<plain>-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))",
    re.DOTALL,
)
_QUOTES: Final = re.compile(r"\\(.)|\"", re.DOTALL)
_VALUE: Final = frozenset(("{", "[", "text", "plain"))  # kinds of tokens: signs, and groups of _TOKEN
_NAME: Final = frozenset(("text",))
_COLON: Final = frozenset(":")
_AFTER_MEMBER: Final = frozenset(",}")
_AFTER_ELEMENT: Final = frozenset(",]")


class Members(list[tuple[str, Any]]):
    """Members of an object in their order; a name may come again."""


def read_json(text: str) -> Any:
    """The value that a text begins with; what follows it is not looked at.

    Args:
        text: as somebody wrote it.

    Returns:
        None, true, false, an integer, a double, a text, a list, or `Members`.

    Raises:
        ValueError: Spark reads no value there.
        jobs.base.budget.OverBudget: it takes too long.
    """
    given = text.lstrip(_BLANKS)
    try:
        value, end = _DECODER.raw_decode(given)
    except RecursionError:
        return _read_tokens(given)
    except ValueError:
        if "'" not in given:
            raise
        return _read_tokens(given)
    _require_end(value, given[end : end + 1])
    return value


def _members(pairs: list[tuple[str, Any]]) -> Members:
    for name, _ in pairs:
        _require_name(name)
    return Members(pairs)


def _require_name(name: str) -> str:
    if len(name) > _MAX_NAME:
        raise ValueError("a name of too many characters")
    return name


def _no_word(word: str) -> Any:
    raise ValueError(word)


def _whole(text: str) -> int:
    _require_digits(text)
    return int(text)


def _real(text: str) -> float:
    _require_digits(text)
    return float(text)


def _require_digits(text: str) -> None:
    if len(text) <= _MAX_DIGITS:
        return
    count = sum(map(str.isdigit, text))
    if text.lstrip("-").startswith("0"):  # Spark counts such a number without its zero, and with its e
        count += ("e" in text or "E" in text) - 1
    if count > _MAX_DIGITS:
        raise ValueError("a number of too many digits")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_whole, parse_float=_real, parse_constant=_no_word, strict=False
)


def _require_end(value: Any, after: str) -> None:
    """A number ends at a blank, a word where no other letter follows."""
    if not after or isinstance(value, str | list):
        return
    is_word = value is None or isinstance(value, bool)
    if after.isalnum() or after in "_$" if is_word else after not in _BLANKS:
        raise ValueError("the value does not end")


def _read_tokens(text: str) -> Any:
    """What Python's own reader refuses: single quotes, and what is nested deeper than its stack."""
    tree, at, count = _Tree(), 0, 0
    while not tree.is_whole:
        token = _TOKEN.match(text, at)
        kind = str(token["sign"] or token.lastgroup) if token else ""
        if token is None or kind not in tree.allowed:
            raise ValueError("no JSON")
        tree.take(kind, token)
        at, count = token.end(), count + 1
        if count % _WATCHED == 0:
            spend(0)
    _require_end(tree.root[0], text[at : at + 1])
    return tree.root[0]


class _Tree:
    """A value that grows by tokens.

    Attributes:
        root: the value, as its only element.
        allowed: kinds of tokens that may come next.
    """

    def __init__(self) -> None:
        self.root: list[Any] = []
        self.allowed = _VALUE
        self._outer: list[list[Any]] = []  # of `_items`, from the root on
        self._items = self.root  # where the next value belongs

    @property
    def is_whole(self) -> bool:
        """True when nothing is open any more."""
        return bool(self.root) and not self._outer

    def take(self, kind: str, token: re.Match[str]) -> None:
        """Take an allowed token in.

        Raises:
            ValueError: a text that is none, or nested too deeply.
        """
        match kind:
            case ":":
                self.allowed = _VALUE
            case ",":
                self.allowed = _NAME if isinstance(self._items, Members) else _VALUE
            case "{":
                self._open(Members(), _NAME | {"}"})
            case "[":
                self._open([], _VALUE | {"]"})
            case "}" | "]":
                self._items = self._outer.pop()
                self._await_next()
            case "text" if isinstance(self._items, Members) and self.allowed is not _VALUE:
                self._items.append((_require_name(_unquoted(token["text"])), None))
                self.allowed = _COLON
            case "text":
                self._put(_unquoted(token["text"]))
                self._await_next()
            case _:
                self._put(_DECODER.decode(token["plain"]))
                self._await_next()

    def _open(self, items: list[Any], allowed: frozenset[str]) -> None:
        if len(self._outer) == MAX_DEPTH:
            raise ValueError("nested too deeply")
        self._put(items)
        self._outer.append(self._items)
        self._items, self.allowed = items, allowed

    def _put(self, value: Any) -> None:
        """An element of an array, or the value of the member whose name came last."""
        if isinstance(self._items, Members):
            self._items[-1] = (self._items[-1][0], value)
        else:
            self._items.append(value)

    def _await_next(self) -> None:
        self.allowed = _AFTER_MEMBER if isinstance(self._items, Members) else _AFTER_ELEMENT


def _unquoted(text: str) -> str:
    """A text in either quotes; both may hold an escaped single quote."""
    if text[0] == "'" or "\\'" in text:
        text = f'"{_QUOTES.sub(_escaped, text[1:-1])}"'
    return str(_DECODER.decode(text))


def _escaped(found: re.Match[str]) -> str:
    return "'" if found[1] == "'" else '\\"' if found[1] is None else found[0]
