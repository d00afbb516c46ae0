"""Cursors of pages of records."""

import base64
import random
import zlib

import pytest

from weir.streams.api.record_serializers import BrowseSerializer
from weir.streams.services.browse_page import Cursor, Page, read_cursor
from weir.workspaces.errors import ServiceError


def test_a_page_of_a_topic_with_very_many_partitions_can_be_continued() -> None:
    dice = random.Random(7)
    offsets = {number: dice.randrange(10**10) for number in range(5_000)}
    text = Page([], {}, offsets, backwards=True, piece=3).next
    assert text is not None
    assert BrowseSerializer(data={"cursor": text}).is_valid(), "the next request would be refused"
    assert read_cursor(text) == Cursor(backwards=True, at=offsets, piece=3)


def test_one_of_an_ordinary_topic_fits_into_any_proxy() -> None:
    """nginx takes 8 KiB for an address."""
    dice = random.Random(7)
    text = Cursor(False, {number: dice.randrange(10**7) for number in range(800)}).text
    assert len(text) < 7_000


def test_what_unpacks_to_far_more_is_cut() -> None:
    packed = zlib.compress(b" " * 20_000_000 + b"[true,1,[0,0]]")
    with pytest.raises(ServiceError):
        read_cursor(base64.urlsafe_b64encode(packed).decode("ascii"))
