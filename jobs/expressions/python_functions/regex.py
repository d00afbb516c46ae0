"""Patterns in Python: the answers of `jvm/src/weir/patterns`, in time that grows with the text alone."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

import re2

from jobs.base.budget import spend
from jobs.base.types import STRING
from jobs.expressions.python_functions.python_function import PythonFunction
from jobs.expressions.regex_safety import canonical_regex, has_category

Span = tuple[int, int]
_SURROGATES: Final = "surrogatepass"  # a JSON text may hold a half of a pair
_COUNTED: Final = 1_000  # matches, before they count as work; each takes microseconds


@lru_cache(maxsize=200)
def compiled(pattern: str, groups: bool = True) -> Any:
    """The pattern of one without complaint, over UTF-8;
    without `groups` only the match as a whole is looked for, which is faster.
    """
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not groups
    return re2.compile(canonical_regex(pattern), options)


def same_answers(pattern: str) -> bool:
    """False where the tables of Unicode decide, which are of another version in jobs."""
    return not has_category(pattern)


def _bytes(text: str) -> bytes:
    return text.encode(errors=_SURROGATES)


def _text(held: bytes | None) -> str:
    return (held or b"").decode(errors=_SURROGATES)


def _found(text: bytes, pattern: str, groups: bool = False) -> Any:
    return compiled(pattern, groups).search(text)


def _every(text: bytes, pattern: str, groups: bool = False) -> Iterator[Any]:
    """Each match; after an empty one the next search begins one character on, as in Java."""
    search, at, count = compiled(pattern, groups).search, 0, 0
    while at <= len(text) and (found := search(text, at)) is not None:
        yield found
        count += 1
        if count % _COUNTED == 0:
            spend(_COUNTED)
        start, at = found.span()
        if start == at:
            at += 1
            while at < len(text) and text[at] & 0xC0 == 0x80:
                at += 1


def _extracted(text: str, pattern: str, group: int = 1) -> str:
    found = _found(_bytes(text), pattern, group > 0)
    return _text(found.group(group)) if found else ""


def _first(text: str, pattern: str) -> str | None:
    found = _found(_bytes(text), pattern)
    return (_text(found.group()) or None) if found else None


def _position(text: str, pattern: str) -> int:
    held = _bytes(text)
    found = _found(held, pattern)
    return len(_text(held[: found.start()])) + 1 if found else 0


def _all(text: str, pattern: str, group: int) -> list[str]:
    return [_text(found.group(group)) for found in _every(_bytes(text), pattern, group > 0)]


def _replaced(text: str, pattern: str, into: str) -> str:
    pieces = into.split("$")
    template = [
        pieces[0].encode(),
        *(part for piece in pieces[1:] for part in (int(piece[0]), piece[1:].encode())),
    ]
    held, written, copied = _bytes(text), bytearray(), 0
    for found in _every(held, pattern, any(isinstance(part, int) and part > 0 for part in template)):
        written += held[copied : found.start()]
        for part in template:
            written += part if isinstance(part, bytes) else found.group(part) or b""
        copied = found.end()
    return _text(bytes(written + held[copied:]))


def like(pattern: str) -> Callable[[str], bool]:
    """Whether a whole text matches a LIKE pattern, as a chain of searches.

    What stands between two percent signs is looked for where the one before it ended: the first match is the
    right one, since any later one leaves less of the text for the rest.
    """
    first, *rest = (_Piece(piece) for piece in _pieces(pattern))
    if not rest:
        return lambda text: len(text) == first.size and first.stands(text, 0)
    *between, last = rest
    least = first.size + sum(piece.size for piece in rest)
    return partial(_chain_matches, first, between, last, least)


def _pieces(pattern: str) -> list[list[str | None]]:
    """Characters between the percent signs; None is any."""
    pieces: list[list[str | None]] = [[]]
    signs = iter(pattern)
    for sign in signs:
        if sign == "%":
            pieces.append([])
        else:
            pieces[-1].append(next(signs) if sign == "\\" else None if sign == "_" else sign)
    return pieces


class _Piece:
    """Characters that follow each other, some of which may be any."""

    def __init__(self, signs: list[str | None]) -> None:
        self.size = len(signs)
        self._signs = signs
        self._plain = "".join(sign for sign in signs if sign is not None) if None not in signs else None
        self._search: Any = None
        if self._plain is None:
            options = re2.Options()
            options.dot_nl = True
            options.log_errors = False
            self._search = re2.compile(
                "".join("." if sign is None else re2.escape(sign) for sign in signs), options
            ).search

    def stands(self, text: str, at: int) -> bool:
        """Whether it stands at a position."""
        if self._plain is not None:
            return text.startswith(self._plain, at)
        here = text[at : at + self.size]
        return len(here) == self.size and all(
            sign in (None, own) for sign, own in zip(self._signs, here, strict=True)
        )

    def after(self, text: str, at: int) -> int:
        """One past its first position from a position on; -1 when there is none."""
        if self._plain is not None:
            found = text.find(self._plain, at)
            return found + self.size if found >= 0 else -1
        rest = _bytes(text[at:])
        match = self._search(rest)
        return -1 if match is None else at + len(_text(rest[: match.end()]))


def _chain_matches(first: _Piece, between: list[_Piece], last: _Piece, least: int, text: str) -> bool:
    """`least` is the sum of the sizes."""
    if len(text) < least or not first.stands(text, 0):
        return False
    at = first.size
    for piece in between:
        if (at := piece.after(text, at)) < 0:
            return False
    return len(text) - last.size >= at and last.stands(text, len(text) - last.size)


_TWO: Final[dict[str, Callable[..., Any]]] = {
    "regexp_like": lambda text, pattern: _found(_bytes(text), pattern) is not None,
    "regexp_substr": _first,
    "regexp_instr": _position,
    "regexp_count": lambda text, pattern: sum(1 for _ in _every(_bytes(text), pattern)),
}

PATTERNS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    **{name: (PythonFunction(evaluate, ((STRING,),), (2,)),) for name, evaluate in _TWO.items()},
    "regexp_extract_all": (PythonFunction(_all, counts=(3,)),),
    "regexp_replace": (PythonFunction(_replaced, counts=(3,)),),
    "regexp_extract": (PythonFunction(_extracted, counts=(2, 3)),),
}
