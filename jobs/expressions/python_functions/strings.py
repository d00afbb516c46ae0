"""Functions of text."""

from collections.abc import Callable
from typing import Any, Final
from unicodedata import category
from urllib.parse import quote_plus

from jobs.base.budget import afford, spend
from jobs.base.types import BYTES, INT, STRING
from jobs.expressions.functions.strings import MAX_REPLACED_BYTES, replaced_bytes
from jobs.expressions.python_functions.python_function import ARRAYS, PART, PythonFunction, chained

_TEXT: Final = (STRING,)
_MASKS: Final = {"Lu": "X", "Ll": "x", "Nd": "n"}
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def _substring(text: str, position: int, length: int = 2**31 - 1) -> str:
    """From 1, from the end when negative; a position before the start still counts towards the length."""
    begin = position - 1 if position > 0 else len(text) + position if position < 0 else 0
    end = begin + length
    return text[max(0, begin) : max(0, end)]


def _left(text: str, count: int) -> str:
    return text[:count] if count > 0 else ""


def _right(text: str, count: int) -> str:
    return text[-count:] if count > 0 else ""


def _filled(text: str, length: int, filling: str) -> str:
    """What comes beside a text so that both have the length."""
    missing = length - len(text)
    return (filling * (missing // len(filling) + 1))[:missing] if missing > 0 and filling else ""


def _before(text: str, separator: str, count: int) -> str:
    """substring_index."""
    if not separator or not count:
        return ""
    width = len(separator)
    at = -1 if count > 0 else len(text) - width + 1
    for _ in range(abs(count)):  # the next one may share characters with the last one, as in Spark
        at = text.find(separator, at + 1) if count > 0 else text.rfind(separator, 0, at - 1 + width)
        if at < 0:
            return text
    return text[:at] if count > 0 else text[at + width :]


def _piece(text: str, separator: str, position: int) -> str:
    pieces = text.split(separator) if separator else [text]
    at = position - 1 if position > 0 else len(pieces) + position
    return pieces[at] if 0 <= at < len(pieces) else ""


def _position(part: str, text: str, begin: int = 1) -> int:
    if not part:
        return int(begin > 0)
    return text.find(part, begin - 1) + 1 if begin > 0 else 0


def _translated(text: str, signs: str, into: str) -> str:
    table: dict[int, str | None] = {}
    for index, sign in enumerate(signs):
        table.setdefault(ord(sign), into[index] if index < len(into) else None)
    return text.translate(table)


def _exchanged(text: str, old: str, new: str) -> str | None:
    if not old:
        return text
    count = text.count(old)
    spend(count * len(new))  # before the memory is taken
    more = count * (replaced_bytes(new) - replaced_bytes(old))
    if more > 0 and replaced_bytes(text) + more > MAX_REPLACED_BYTES:
        return None
    return text.replace(old, new)


def _repeated(text: str, count: int) -> str:
    spend(len(text) * count)
    return text * count


def _capitalized(word: str) -> str:
    """The other letters as those of the whole word in lower case: a final sigma has letters before it."""
    return word[:1].title() + word.lower()[len(word[:1].lower()) :]


def _masked(text: str) -> str:
    return "".join(_MASKS.get(category(sign), sign) for sign in text)


def decoded(value: bytes, _: str = "utf-8") -> str | None:
    """The text of its UTF-8; None when it is none."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _converted(text: str, source: int, to: int) -> str | None:
    digits, most = _DIGITS[:source], max(length for length in range(1, 65) if source**length <= 2**64)
    if (
        not text
        or len(text.lstrip("0")) > most
        or any(sign not in digits for sign in text.lower())
        or not text.isascii()
    ):
        return None
    number = int(text.lstrip("0") or "0", source)  # Python counts leading zeros to the digits it refuses
    found = ""
    while number or not found:
        number, digit = divmod(number, to)
        found = _DIGITS[digit].upper() + found
    return found


def _concatenated(*texts: str) -> str:
    afford(sum(map(len, texts)))
    return "".join(texts)


def _separated(between: str, *texts: str | None) -> str:
    given = [text for text in texts if text is not None]
    afford(sum(map(len, given)) + len(between) * len(given))
    return between.join(given)


def _split(text: str, between: str, most: int = 0) -> list[str]:
    afford(PART * (text.count(between) + 1))
    return text.split(between, most - 1)


def _octets(value: str | bytes) -> bytes:
    return value.encode(errors="surrogatepass") if isinstance(value, str) else value


def _text(evaluate: Callable[..., Any], *counts: int) -> PythonFunction:
    """Of texts, and of positions and lengths."""
    return PythonFunction(evaluate, ((STRING, INT),), counts or (1,))


TEXTS: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "||": (_text(lambda left, right: left + right, 2),),
    "concat": (
        PythonFunction(_concatenated, (_TEXT,), None),
        PythonFunction(chained, (ARRAYS,), None),
    ),
    "concat_ws": (PythonFunction(_separated, (_TEXT,), None, strict=False),),
    "upper": (_text(str.upper),),
    "lower": (_text(str.lower),),
    "initcap": (_text(lambda text: " ".join(map(_capitalized, text.split(" ")))),),
    "trim": (_text(lambda text, signs=" ": text.strip(signs) if signs else text, 1, 2),),
    "ltrim": (_text(lambda text, signs=" ": text.lstrip(signs) if signs else text, 1, 2),),
    "rtrim": (_text(lambda text, signs=" ": text.rstrip(signs) if signs else text, 1, 2),),
    "length": (PythonFunction(len, ((STRING, BYTES),)),),
    "octet_length": (PythonFunction(lambda value: len(_octets(value)), ((STRING, BYTES),)),),
    "substring": (_text(_substring, 2, 3),),
    "left": (_text(_left, 2),),
    "right": (_text(_right, 2),),
    "contains": (_text(lambda text, part: part in text, 2),),
    "starts_with": (_text(str.startswith, 2),),
    "ends_with": (_text(str.endswith, 2),),
    "replace": (_text(_exchanged, 3),),
    "translate": (_text(_translated, 3),),
    "overlay": (
        _text(lambda text, part, position: text[: position - 1] + part + text[position - 1 + len(part) :], 3),
    ),
    "reverse": (PythonFunction(lambda value: value[::-1], ((STRING, *ARRAYS),)),),
    "position": (_text(_position, 2, 3),),
    "instr": (_text(lambda text, part: text.find(part) + 1, 2),),
    "substring_index": (_text(_before, 3),),
    "split_part": (_text(_piece, 3),),
    "split": (_text(_split, 2, 3),),
    "lpad": (_text(lambda text, length, filling: _filled(text, length, filling) + text[:length], 3),),
    "rpad": (_text(lambda text, length, filling: text[:length] + _filled(text, length, filling), 3),),
    "repeat": (_text(_repeated, 2),),
    "ascii": (_text(lambda text: ord(text[0]) if text else 0),),
    "char": (_text(chr),),
    "mask": (_text(_masked),),
    "url_encode": (
        _text(lambda text: quote_plus(text, safe="*", errors="surrogatepass").replace("~", "%7E")),
    ),
    "encode": (_text(lambda text, _: _octets(text), 2),),
    "decode": (PythonFunction(decoded, ((BYTES,), (STRING,)), (2,)),),
    "conv": (_text(_converted, 3),),
}
