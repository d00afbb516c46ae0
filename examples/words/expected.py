"""What the words job must answer over given records, computed in one go."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable


def expected(values: Iterable[bytes]) -> dict[str, int]:
    """Word → how often; a word is a longest run of letters, marks, digits and underscores, in lower case."""
    return dict(Counter(word.lower() for value in values for word in _words(json.loads(value)["line"])))


def _words(text: str) -> list[str]:
    return "".join(character if _belongs(character) else " " for character in text).split()


def _belongs(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"
