"""Hashes and encodings. Texts are hashed as UTF-8."""

from typing import Final

from jobs.base.types import BYTES, INT, LONG, STRING, is_ordered
from jobs.expressions.functions.function import Function, LiteralParam, Nulls, Signature, TypeVariable
from jobs.expressions.functions.literal_params import integer
from jobs.expressions.nodes import Tree

_WIDTHS: Final = (224, 256, 384, 512)
_MD5: Final = "900150983cd24fb0d6963f7d28e17f72"
_SHA1: Final = "a9993e364706816aba3e25717850c26c9cd0d89d"
_SHA256: Final = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
_ANY_WIDTH: Final = integer(224, 512, "width literal")
_WIDTH: Final = LiteralParam(
    _ANY_WIDTH.type,
    lambda value: None if value in _WIDTHS else "must be 224, 256, 384 or 512",
    _ANY_WIDTH.what,
)


def _f(
    name: str,
    doc: str,
    sql: str,
    *signatures: Signature,
    nulls: Nulls = Nulls.STRICT,
    aliases: tuple[str, ...] = (),
) -> Function:
    return Function(
        name=name, theme="hash", doc=doc, nulls=nulls, sql=sql, signatures=signatures, aliases=aliases
    )


def _both(name: str, value: object, result: object = STRING) -> tuple[Signature, Signature]:
    """Of a text, and of bytes."""
    kind = LONG if result == LONG else STRING
    return (
        Signature((STRING,), kind, ((f"{name}('abc')", value),), f"{name}(CAST({{0}} AS BINARY))"),
        Signature((BYTES,), kind, ((f"{name}(cast('abc' as bytes))", value),)),
    )


def _no_order(arguments: tuple[Tree, ...]) -> str | None:
    return None if all(is_ordered(argument.type) for argument in arguments) else "maps can't be hashed."


HASHES: Final = (
    _f("md5", "MD5 as 32 hexadecimal digits.", "md5({0})", *_both("md5", _MD5)),
    _f("sha1", "SHA-1 as 40 hexadecimal digits.", "sha1({0})", *_both("sha1", _SHA1), aliases=("sha",)),
    _f(
        "sha2",
        "SHA-2 of 224, 256, 384 or 512 bits as hexadecimal digits.",
        "sha2({0}, {1})",
        Signature(
            (STRING, _WIDTH), STRING, (("sha2('abc', 256)", _SHA256),), "sha2(CAST({0} AS BINARY), {1})"
        ),
        Signature((BYTES, _WIDTH), STRING, (("sha2(cast('abc' as bytes), 256)", _SHA256),)),
    ),
    _f("crc32", "CRC-32 as an integer from 0.", "crc32({0})", *_both("crc32", 891_568_578, LONG)),
    _f(
        "xxhash64",
        "64-bit hash of values of any type but map; fast, not for secrets.",
        "xxhash64({all})",
        Signature(
            (TypeVariable.ANY,),
            LONG,
            (("xxhash64('Spark', array(123), 2)", 5_602_566_077_635_097_486),),
            repeats=True,
            check_arguments=_no_order,
        ),
        nulls=Nulls.NEVER,
    ),
    _f(
        "hash",
        "32-bit hash (Murmur3) of values of any type but map; fast, not for secrets.",
        "hash({all})",
        Signature(
            (TypeVariable.ANY,),
            INT,
            (("hash('Spark', array(123), 2)", -1_321_691_492),),
            repeats=True,
            check_arguments=_no_order,
        ),
        nulls=Nulls.NEVER,
    ),
    _f(
        "hex",
        "Hexadecimal digits of an integer, of bytes, or of a string's UTF-8.",
        "hex({0})",
        Signature((LONG,), STRING, (("hex(255)", "FF"),)),
        Signature((STRING,), STRING, (("hex('abc')", "616263"),)),
        Signature((BYTES,), STRING, (("hex(cast('abc' as bytes))", "616263"),)),
    ),
    _f(
        "unhex",
        "Bytes of hexadecimal digits.",
        "try_to_binary({0}, 'hex')",
        Signature((STRING,), BYTES, (("unhex('616263')", b"abc"),)),
        nulls=Nulls.ERROR,
    ),
    _f(
        "base64",
        "Bytes, or a string's UTF-8, as base64.",
        "base64({0})",
        Signature((STRING,), STRING, (("base64('abc')", "YWJj"),), "base64(CAST({0} AS BINARY))"),
        Signature((BYTES,), STRING, (("base64(cast('abc' as bytes))", "YWJj"),)),
    ),
    _f(
        "unbase64",
        "Bytes of a base64 string.",
        "try_to_binary({0}, 'base64')",
        Signature((STRING,), BYTES, (("unbase64('YWJj')", b"abc"),)),
        nulls=Nulls.ERROR,
    ),
)
