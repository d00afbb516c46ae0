import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile_frames import HOSTILE_FRAMES
from weir.live.requests import ChannelName, FrameError, Ping, Subscribe, parse_channel, parse_request

GOOD = {"op": "subscribe", "id": 1, "channel": "results/abc", "workspace": "ops"}


def served(text: str) -> None:
    """What a socket does with a frame before it looks at rights."""
    request = parse_request(text)
    assert isinstance(request, Subscribe)
    parse_channel(request)


def test_a_subscription_has_defaults() -> None:
    request = parse_request(json.dumps(GOOD))
    assert isinstance(request, Subscribe)
    assert (request.interval_ms, request.cursor, request.limit) == (100, None, 10_000)
    assert parse_channel(request) == ChannelName("results", "abc")


def test_a_client_may_ask_whether_the_server_is_there() -> None:
    assert parse_request('{"op":"ping"}') == Ping(op="ping")


@pytest.mark.parametrize("title", HOSTILE_FRAMES)
def test_hostile_frames_are_refused_with_a_code(title: str) -> None:
    with pytest.raises(FrameError) as refused:
        served(HOSTILE_FRAMES[title])
    assert refused.value.code in {"BAD_FRAME", "FRAME_TOO_LARGE", "UNKNOWN_CHANNEL"}
    assert len(str(refused.value)) < 300, "an answer does not repeat the frame"


@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        parse_request(text)
    except FrameError:
        return


@pytest.mark.parametrize(
    ("channel", "kind"),
    [
        ("lag/a1", "lag"),
        ("logs/a1", "logs"),
        ("tail/trades", "tail"),
        ("runs", "runs"),
        ("topic/home/a.b-c_d", "topic"),
        ("groups", "groups"),
        ("group/home/a/b c", "group"),
    ],
)
def test_channels(channel: str, kind: str) -> None:
    request = parse_request(json.dumps({**GOOD, "channel": channel}))
    assert isinstance(request, Subscribe)
    assert parse_channel(request).kind == kind
