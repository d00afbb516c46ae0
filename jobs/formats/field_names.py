"""A name in jobs for what a record calls otherwise:
`@timestamp` becomes `timestamp`, `user-id` becomes `user_id`.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from jobs.base.names import is_name
from jobs.base.schemas import Field
from jobs.formats.source_paths import ReadField, SourcePath

_MAX: Final = 63
_OTHER: Final = re.compile(r"[^A-Za-z0-9]+")
_SPELLED: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "œ": "oe", "Œ": "Oe", "đ": "d", "ł": "l", "Ł": "L"}
)
KEYWORDS: Final = frozenset(
    """
    alter analyze and as begin between cache call case comment commit copy create cross declare delete desc
    describe distinct drop else except execute explain false fetch for from glob grant having ilike inner
    insert intersect interval into join kill lateral like load merge minus not notnull null on optimize or
    outer over pivot pragma prepare qualify refresh regexp rename returning revoke rlike rollback select
    serdeproperties set show tablesample then true truncate uncache union unpivot update use using vacuum
    values when where with xor
    """.split()  # noqa: SIM905  (as a list one word a line)
)
"""Words that an expression takes for something else when they stand there without backticks."""


def proposed_name(path: SourcePath, taken: Iterable[str] = ()) -> str:
    """A valid, readable name for what a path leads to, unlike those that are taken, whatever their case.

    Args:
        path: in the record.
        taken: names of other fields.
    """
    plain = "_".join(map(str, path))
    if len(path) > 1 or not is_name(plain):
        plain = _readable(plain)
    used = {name.lower() for name in taken}
    if plain.lower() not in used:
        return plain
    number = 2
    while f"{plain[: _MAX - 5]}_{number}".lower() in used:
        number += 1
    return f"{plain[: _MAX - 5]}_{number}"


def _readable(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.translate(_SPELLED)).encode("ascii", "ignore").decode()
    name = _OTHER.sub("_", letters).strip("_")
    if name == "" or name.lower() in KEYWORDS:
        name = f"{name}_field".lstrip("_")
    return (name if name[0].isalpha() else f"field_{name}")[:_MAX].rstrip("_")


def proposed_names(paths: Iterable[SourcePath]) -> dict[SourcePath, str]:
    """A name for each path, all different: members whose names can be kept keep them,
    whatever stands before them.
    """
    known = list(dict.fromkeys(paths))
    kept: dict[str, SourcePath] = {}
    for path in known:
        name = path[0]
        if len(path) == 1 and isinstance(name, str) and is_name(name):
            kept.setdefault(name.lower(), path)
    found = {path: str(path[0]) for path in kept.values()}
    taken = set(found.values())
    for path in known:
        if path not in found:
            found[path] = proposed_name(path, taken)
            taken.add(found[path])
    return {path: found[path] for path in known}


def proposed_fields(members: Iterable[Field]) -> tuple[ReadField, ...]:
    """The members of a schema as fields of a contract:
    those that can keep their names do, the others get one beside them.
    """
    known = list(members)
    names = proposed_names((member.name,) for member in known)
    return tuple(
        ReadField(names[(member.name,)], member.type, member.nullable, (member.name,)) for member in known
    )
