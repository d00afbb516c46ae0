"""Aliases of relations that an expression of their query reads as nothing else."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, Final

from jobs.sql.variables import variables_of
from jobs.sql.write_values import expression_slice, name_sql

_WORD: Final = re.compile(r"\w+", re.ASCII)


def alias_sql(reference: str, texts: Iterable[str]) -> str:
    """The alias of a query's only relation: `` AS s_2`` where a lambda has a variable of the name that it has
    without one, so that ``s.x`` is a member of that variable; "" where none is needed.

    Args:
        reference: a node or its output.
        texts: the query's expressions.

    Raises:
        UnsayableError: an expression is none, or has comments.
    """
    name = reference.rpartition(".")[2]
    with_lambdas = [text for text in texts if "->" in text]
    if not any(name in variables_of(expression_slice(text).tokens) for text in with_lambdas):
        return ""
    return f" AS {name_sql(_free(name, _words(with_lambdas)))}"


def join_aliases(steps: Mapping[str, Any], fields: Iterable[str]) -> tuple[str, str]:
    """The aliases of the sides of every join: ``l`` and ``r``, or others where something in the steps, or a
    field that they may read, is called so. Before a dot, that would be a field with a member, or a variable.

    Args:
        steps: of the document.
        fields: of its sources.
    """
    taken = frozenset(fields) | _words([json.dumps(steps)])
    return _free("l", taken), _free("r", taken)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _free(name: str, taken: frozenset[str]) -> str:
    return name if name not in taken else next(n for at in count(2) if (n := f"{name}_{at}") not in taken)
