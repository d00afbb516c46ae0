"""Hints that name the nearest allowed name."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggest(name: str, allowed: Iterable[str], otherwise: str) -> str:
    """``Did you mean …?`` with the nearest allowed name, or `otherwise` when none is near."""
    by_folded = {candidate.lower(): candidate for candidate in allowed}
    near = get_close_matches(name.lower(), list(by_folded), n=1, cutoff=0.6)
    return f"Did you mean {by_folded[near[0]]}?" if near else otherwise
