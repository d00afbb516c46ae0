"""Hashes and encodings."""

import base64
import hashlib
import zlib
from typing import Any, Final

from jobs.base.types import BYTES, STRING
from jobs.expressions.python_functions.python_function import PythonFunction

_BYTES: Final = (STRING, BYTES)


def _bytes(value: Any) -> bytes:
    """A text may hold half a pair of surrogates, which another function gave."""
    return value.encode(errors="surrogatepass") if isinstance(value, str) else bytes(value)


HASHES: Final[dict[str, tuple[PythonFunction, ...]]] = {
    "md5": (
        PythonFunction(
            lambda value: hashlib.md5(_bytes(value), usedforsecurity=False).hexdigest(), (_BYTES,)
        ),
    ),
    "sha1": (
        PythonFunction(
            lambda value: hashlib.sha1(_bytes(value), usedforsecurity=False).hexdigest(), (_BYTES,)
        ),
    ),
    "sha2": (
        PythonFunction(
            lambda value, width: hashlib.new(f"sha{width}", _bytes(value)).hexdigest(), counts=(2,)
        ),
    ),
    "crc32": (PythonFunction(lambda value: zlib.crc32(_bytes(value)), (_BYTES,)),),
    "hex": (
        PythonFunction(
            lambda value: (
                _bytes(value).hex().upper() if not isinstance(value, int) else f"{value & (2**64 - 1):X}"
            )
        ),
    ),
    "base64": (PythonFunction(lambda value: base64.b64encode(_bytes(value)).decode(), (_BYTES,)),),
}
