"""Frames of a client: each is parsed into one of four requests, or rejected with a reason."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from weir.results.services.cursors import MAX_LENGTH

MAX_FRAME: Final = 64 * 1024
DEFAULT_INTERVAL_MS: Final = 100
DEFAULT_ROWS: Final = 10_000
MAX_ROWS: Final = 100_000

_CHANNEL: Final = re.compile(
    r"(results|lag|logs|tail)/([A-Za-z0-9][A-Za-z0-9_.-]{0,99})|(runs|alerts|groups)"
    r"|(topic)/([A-Za-z0-9]{1,40})/([A-Za-z0-9_.-]{1,249})|(group)/([A-Za-z0-9]{1,40})/(.{1,255})",
    re.DOTALL,
)

_NO_NUL: Final = r"^[^\x00]*$"  # PostgreSQL takes none in what is looked up
SubscriptionId = Annotated[int, Field(ge=0, le=2**53 - 1)]


class FrameError(ValueError):
    """A frame cannot be served. `code` is fixed, `subscription` the id it names, if it names one."""

    def __init__(self, code: str, message: str, subscription: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.subscription = subscription


class _Frame(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Subscribe(_Frame):
    """Start a subscription.

    `interval_ms` 0 sends every change; `max_per_second` limits a tail, `where` is its filter;
    `limit` rows of a snapshot.
    """

    op: Literal["subscribe"]
    id: SubscriptionId
    channel: Annotated[str, Field(max_length=310, pattern=_NO_NUL)]
    workspace: Annotated[str, Field(max_length=63, pattern=_NO_NUL)]
    cursor: Annotated[str, Field(max_length=MAX_LENGTH)] | None = None
    interval_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_INTERVAL_MS
    limit: Annotated[int, Field(ge=0, le=MAX_ROWS)] = DEFAULT_ROWS
    max_per_second: Annotated[int, Field(ge=1, le=500)] = 50
    where: Annotated[str, Field(max_length=5_000)] | None = None


class Unsubscribe(_Frame):
    """End a subscription; an id that is not subscribed is no error."""

    op: Literal["unsubscribe"]
    id: SubscriptionId


class Ping(_Frame):
    """Asks whether the server is still there; it answers with a pong."""

    op: Literal["ping"]


class Pong(_Frame):
    """Keeps the connection alive. There is no answer."""

    op: Literal["pong"]


Request = Subscribe | Unsubscribe | Ping | Pong
_REQUEST: Final[TypeAdapter[Request]] = TypeAdapter(Annotated[Request, Field(discriminator="op")])


@dataclass(frozen=True, slots=True)
class ChannelName:
    """A parsed channel name: `kind` with the job id, stream name, topic name or group id (empty for
    runs, alerts and groups); `cluster` of a topic or group.
    """

    kind: Literal["results", "lag", "logs", "tail", "runs", "alerts", "topic", "groups", "group"]
    subject: str = ""
    cluster: str = ""


def parse_request(text: str) -> Request:
    """Read one text frame.

    Raises:
        FrameError: too large (FRAME_TOO_LARGE) or not a request (BAD_FRAME).
    """
    if len(text) > MAX_FRAME or len(text.encode("utf-8", "surrogatepass")) > MAX_FRAME:
        raise FrameError("FRAME_TOO_LARGE", f"a frame is limited to {MAX_FRAME} bytes")
    try:
        return _REQUEST.validate_json(text)
    except ValidationError as error:
        raise FrameError("BAD_FRAME", _reason(error)) from error


def _reason(error: ValidationError) -> str:
    first: Any = error.errors(include_url=False, include_input=False, include_context=False)[0]
    path = ".".join(
        str(part) for part in first["loc"] if part not in ("subscribe", "unsubscribe", "ping", "pong")
    )
    return f"{path}: {first['msg']}" if path else first["msg"]


def parse_channel(request: Subscribe) -> ChannelName:
    """The channel that a subscription names.

    Raises:
        FrameError: UNKNOWN_CHANNEL.
    """
    match = _CHANNEL.fullmatch(request.channel)
    if match is None:
        known = (
            "results/<job id>, lag/<job id>, logs/<job id>, tail/<stream>, topic/<cluster id>/<topic>, "
            "group/<cluster id>/<group id>, runs, alerts and groups"
        )
        raise FrameError("UNKNOWN_CHANNEL", f"supported channels: {known}", request.id)
    subject_kind, subject, whole, topic, topic_cluster, name, group, group_cluster, group_id = match.groups()
    kind: Any = subject_kind or whole or topic or group
    return ChannelName(kind, subject or name or group_id or "", topic_cluster or group_cluster or "")
