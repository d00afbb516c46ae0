"""Hashes and encodings."""

import base64
import hashlib
import zlib
from typing import Any, Final

from jobs.base.types import BYTES, STRING
from jobs.expressions.python_functions.python_function import Evaluated

_BYTES: Final = (STRING, BYTES)


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


HASHES: Final[dict[str, tuple[Evaluated, ...]]] = {
    "md5": (Evaluated(lambda value: hashlib.md5(_bytes(value), usedforsecurity=False).hexdigest(), (_BYTES,)),),
    "sha1": (Evaluated(lambda value: hashlib.sha1(_bytes(value), usedforsecurity=False).hexdigest(), (_BYTES,)),),
    "sha2": (Evaluated(lambda value, width: hashlib.new(f"sha{width}", _bytes(value)).hexdigest(), counts=(2,)),),
    "crc32": (Evaluated(lambda value: zlib.crc32(_bytes(value)), (_BYTES,)),),
    "hex": (Evaluated(lambda value: _bytes(value).hex().upper() if not isinstance(value, int) else f"{value & (2**64 - 1):X}"),),
    "base64": (Evaluated(lambda value: base64.b64encode(_bytes(value)).decode(), (_BYTES,)),),
}
