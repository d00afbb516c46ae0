"""Drawing by a seed: the same documents whenever they are drawn, none of them made from another."""

import random
from collections.abc import Iterator
from typing import TypeVar
from unittest.mock import patch

from hypothesis.control import BuildContext
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.internal.cache import LRUCache
from hypothesis.internal.conjecture import providers
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")


def drawn(
    number: int, seed: int, strategy: SearchStrategy[Drawn], share: int = 0, shares: int = 1
) -> Iterator[Drawn]:
    """Of so many examples of a strategy, each from a seed of its own, those of one share.

    It is every ``shares``-th from number ``share``, from 0; the others are not drawn, as one takes some
    hundredths of a second.

    Hypothesis also draws numbers that stand in the modules which happen to be imported: with them, a seed
    would not say which examples.
    """
    seeds = random.Random(seed)
    for at in range(number):
        own = seeds.randrange(2**32)
        if at % shares != share:
            continue
        with patch.multiple(
            providers, _get_local_constants=providers.Constants, CONSTANTS_CACHE=LRUCache(1024)
        ):
            found = _one(own, strategy)
        yield found


def _one(seed: int, strategy: SearchStrategy[Drawn]) -> Drawn:
    """The first example from a seed that is no dead end."""
    tries = random.Random(seed)
    while True:
        data = ConjectureData(random=random.Random(tries.randrange(2**32)))
        try:
            with BuildContext(data, is_final=False, wrapped_test=None):  # type: ignore[arg-type]
                return data.draw(strategy)
        except (UnsatisfiedAssumption, StopTest):
            continue
