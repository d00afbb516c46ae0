"""Regular expressions in Python where they mean what they mean in Java, and take time that grows with the text alone."""

import re
from functools import lru_cache
from typing import Any, Final

from jobs.base.types import STRING
from jobs.expressions.evaluated.call import Evaluated
from jobs.expressions.patterns import FREE_TEXT, group_count, text_bound

_ENDS: Final = "\n\r\u0085\u2028\u2029"
_INTO: Final = {".": f"[^{_ENDS}]", "$": f"(?=(?:\r\n|[{_ENDS}])?\\Z)"}
_TOKEN: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|.", re.DOTALL)


@lru_cache(maxsize=200)
def java_pattern(pattern: str) -> re.Pattern[str] | None:
    """The compiled pattern; None when Python reads a part of it in another way, or could go back far."""
    if text_bound(pattern) < FREE_TEXT or group_count(pattern) > 9 or re.search(r"\\[pPbB]|\[[^\]]*(?:--|~~|\|\|)", pattern):
        return None
    return re.compile("".join(_INTO.get(token, token) for token in _TOKEN.findall(pattern)), re.ASCII)


def _matches(text: str, pattern: str) -> bool:
    return _compiled(pattern).search(text) is not None


def _compiled(pattern: str) -> re.Pattern[str]:
    found = java_pattern(pattern)
    if found is None:
        raise TypeError(f"{pattern} is computed in jobs only")
    return found


def _extracted(text: str, pattern: str, group: int = 1) -> str:
    found = _compiled(pattern).search(text)
    return (found.group(group) or "") if found else ""


def _first(text: str, pattern: str) -> str | None:
    found = _compiled(pattern).search(text)
    return found.group() if found else None


def _place(text: str, pattern: str) -> int:
    found = _compiled(pattern).search(text)
    return found.start() + 1 if found else 0


def _all(text: str, pattern: str, group: int) -> list[str]:
    return [found.group(group) or "" for found in _compiled(pattern).finditer(text)]


def _replaced(text: str, pattern: str, into: str) -> str:
    parts = re.split(r"[$]([0-9])", into)
    return _compiled(pattern).sub(
        lambda found: "".join((found.group(int(part)) or "") if at % 2 else part for at, part in enumerate(parts)), text
    )


_TWO: Final[dict[str, Any]] = {"regexp_like": _matches, "regexp_substr": _first, "regexp_instr": _place}

PATTERNS: Final[dict[str, tuple[Evaluated, ...]]] = {
    **{name: (Evaluated(evaluate, ((STRING,),), (2,)),) for name, evaluate in _TWO.items()},
    "regexp_count": (Evaluated(lambda text, pattern: len(_all(text, pattern, 0)), counts=(2,)),),
    "regexp_extract_all": (Evaluated(_all, counts=(3,)),),
    "regexp_replace": (Evaluated(_replaced, counts=(3,)),),
    "regexp_extract": (Evaluated(_extracted, counts=(2, 3)),),
}
