"""Remembers results of a function up to a total size, where `functools.lru_cache` counts entries alone."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


def sized_cache(
    max_size: int, max_entries: int, size_of: Callable[..., int]
) -> Callable[[Callable[Arguments, Value]], Callable[Arguments, Value]]:
    """A decorator that remembers what a function of hashable arguments returned, those used last.

    The newest result is kept whatever its size, so that a large one is not made anew each time. Errors are
    not remembered. Threads that ask at the same time may each call the function.

    Args:
        max_size: of all results together, in the unit of `size_of`.
        max_entries: number of results.
        size_of: the size of a result, by the same arguments; it is called before the function.
    """

    def decorate(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
        known: OrderedDict[tuple[object, ...], tuple[Value, int]] = OrderedDict()
        lock = threading.Lock()
        total = 0

        @wraps(function)
        def remembered(*arguments: Arguments.args, **named: Arguments.kwargs) -> Value:
            nonlocal total
            key = (*arguments, *named.items())
            with lock:
                if key in known:
                    known.move_to_end(key)
                    return known[key][0]
            size = size_of(*arguments, **named)
            value = function(*arguments, **named)
            with lock:
                total += size - known.pop(key, (None, 0))[1]
                known[key] = value, size
                while len(known) > 1 and (total > max_size or len(known) > max_entries):
                    total -= known.popitem(last=False)[1][1]
            return value

        return remembered

    return decorate
