"""Request bodies of JSON, within bounds that hold before anything looks at them."""

import math
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from jobs.formats.json_text import WrittenFloat, bounded_json, require_text

MAX_DEPTH: Final = 100  # a record of 64 levels inside a request


class BoundedJSONParser(JSONParser):
    """DRF's, for values that nest `MAX_DEPTH` deep at most, numbers that are finite and whole texts.

    Python's parser gives up with an error that is no ValueError where a text nests too deep, and
    takes 1e999 for infinity.
    """

    real: type[float] = float

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The body's value.

        Raises:
            ParseError: no JSON, or beyond the bounds.
        """
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            text = stream.read().decode(encoding)
            values = bounded_json(text, MAX_DEPTH, parse_float=lambda number: _finite(self.real(number)))
            if "\\u" in text or not text.isascii():
                require_text(values)
        except LookupError as error:
            raise ParseError("JSON parse error: unknown character set.") from error
        except ValueError as error:
            raise ParseError(f"JSON parse error: {error}"[:300]) from error
        return values


class RecordParser(BoundedJSONParser):
    """For requests with records, whose fractions are written as they came."""

    real = WrittenFloat


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number
