"""A key's JSON text in a wrapper that proves that Spark read all of it and nothing else."""

import secrets
from dataclasses import dataclass
from typing import Final

from jobs.expressions.texts_sql import string_sql

BLANKS: Final = r"' \t\n\r'"

_OPTIONS: Final = (
    "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_bad', 'allowSingleQuotes', 'false', "
    "'dateFormat', 'yyyy-MM-dd')"
)


@dataclass(frozen=True)
class JsonWrapper:
    """A value is parsed as the only element of an array, before a second array with a mark.

    Spark stops reading where a value ends; so only a marker after it can prove that nothing else followed.
    Both names are random, so that no record can close the wrapper and open it again.
    """

    root: str
    end: str

    @classmethod
    def make(cls) -> "JsonWrapper":
        """A wrapper of its own names."""
        return cls(f"r{secrets.token_hex(8)}", f"e{secrets.token_hex(8)}")

    @property
    def mark(self) -> str:
        """The marker after the value."""
        return f'{{"{self.end}":1}}'

    def parsed_sql(self, element: str, text: str = "_text") -> str:
        """The parse of a text with this type for the value."""
        wrapped = f"""concat('{{"{self.root}":[[', {text}, '],[{self.mark}]]}}')"""
        # The element's type holds names of members, which may be any text.
        return (
            f"from_json({wrapped}, {string_sql(f'{self.root} ARRAY<ARRAY<{element}>>, _bad STRING')}, "
            f"{_OPTIONS})"
        )

    def items_sql(self, text: str, is_list: str) -> str:
        """The parse of a list's text, or of a bare value as a list of one, as variants."""
        items = f"if({is_list}, {text}, concat('[', {text}, ']'))"
        wrapped = f"""concat('{{"{self.root}":[', {items}, ',[{self.mark}]]}}')"""
        return f"from_json({wrapped}, '{self.root} ARRAY<ARRAY<VARIANT>>, _bad STRING', {_OPTIONS})"

    def all_items_sql(self, parsed: str) -> str:
        """Never-null: such a parse met no error, one list, and the marker after it."""
        mark = f"to_json(get(get({parsed}.{self.root}, 1), 0)) = {string_sql(self.mark)}"
        return f"coalesce({parsed}._bad IS NULL AND size({parsed}.{self.root}) = 2 AND {mark}, false)"

    def value_sql(self, parsed: str) -> str:
        """The value inside a parse."""
        return f"get(get({parsed}.{self.root}, 0), 0)"

    def whole_sql(self, parsed: str, *, mark_is_text: bool = False) -> str:
        """Never-null: the parse met no error, one value, and the marker after it."""
        mark = f"get(get({parsed}.{self.root}, 1), 0)"
        proof = f"{mark} = {string_sql(self.mark)}" if mark_is_text else f"{mark}.{self.end} = 1"
        return (
            f"coalesce({parsed}._bad IS NULL AND size(get({parsed}.{self.root}, 0)) = 1 AND {proof}, false)"
        )
