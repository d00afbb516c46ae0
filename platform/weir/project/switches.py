"""Settings that are on or off."""

from collections.abc import Sequence
from typing import Final

import environ
from django.core.exceptions import ImproperlyConfigured

_ON: Final = ("true", "on", "yes", "1")
_OFF: Final = ("false", "off", "no", "0", "")


def switch(env: environ.Env, name: str, *, default: bool, other: Sequence[str] = ()) -> bool:
    """The value of a variable that is a switch.

    Args:
        env: the environment.
        name: of the variable.
        default: where it is not set.
        other: further words that mean off.

    Raises:
        ImproperlyConfigured: it is neither. A misspelled word would turn off what somebody wanted on, TLS
            such as.
    """
    if name not in env:
        return default
    text = str(env.str(name)).strip().lower()
    if text in _ON:
        return True
    if text in _OFF or text in other:
        return False
    raise ImproperlyConfigured(f"{name} is {text[:40]!r}. Use true or false.")
