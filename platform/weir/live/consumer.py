"""One WebSocket: its user, rights and requests (docs/protocol.md)."""

import asyncio
import logging
from collections import Counter, deque
from typing import Any, Final

from channels.generic.websocket import AsyncWebsocketConsumer
from confluent_kafka import KafkaException
from django.db import DatabaseError

from weir.live import frames, group_lookups, lookups, metrics
from weir.live.connection import Connection, Subscription
from weir.live.hub import Hub, hub
from weir.live.latest_subscription import LatestSubscription
from weir.live.logs_channel import LogSubscription
from weir.live.requests import (
    ChannelName,
    FrameError,
    Ping,
    Request,
    Subscribe,
    Unsubscribe,
    parse_channel,
    parse_request,
)
from weir.live.result_subscription import ResultSubscription
from weir.live.rights import Need, Standing
from weir.live.rights_monitor import SIGNED_OUT, Needs
from weir.live.socket_scope import ABORT, CREDENTIALS, SEND
from weir.live.tail_channel import TailSubscription
from weir.live.tail_view import TailView
from weir.workspaces.errors import NotFoundError, ServiceError
from weir.workspaces.roles import Right

_LOG: Final = logging.getLogger(__name__)

MAX_SUBSCRIPTIONS: Final = 100
MAX_CONNECTIONS_PER_USER: Final = 30
MAX_CONNECTIONS_PER_LINK: Final = 100  # many people may have the same link
MAX_BAD_FRAMES: Final = 10  # rejected frames within `BAD_FRAMES_WINDOW_S` that end a connection
BAD_FRAMES_WINDOW_S: Final = 60.0
# Not counted: a job that was deleted meanwhile, and a filter while a user types it. Guessing is
# bounded by the request limit.
HARMLESS: Final = frozenset({"NOT_FOUND", "FILTER_INVALID"})
MAX_REQUESTS: Final = (
    400  # frames within `REQUESTS_WINDOW_S`: four times all subscriptions of a reconnecting page
)
REQUESTS_WINDOW_S: Final = 10.0

ABUSE: Final = 4400
TOO_MANY: Final = 4429
INTERNAL_ERROR: Final = 1011  # RFC 6455

_TRY_AGAIN: Final = "Temporarily unavailable. Try again."

_PER_PERSON: Counter[str] = Counter()


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """Parses requests, checks rights, and hands subscriptions to the hub. Rows never pass a channel layer."""

    channel_layer_alias = "none"  # no such layer: a connection costs no Redis subscription
    connection: Connection | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the connection, and release it however that ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.disconnect(INTERNAL_ERROR)

    async def connect(self) -> None:
        """Accept a signed-in user. Others get a close code, because a browser cannot read the
        status of a rejected handshake.
        """
        self._bad_frames: deque[float] = deque()
        self._requests: deque[float] = deque()
        self._standing = self._read_standing()
        await self.accept()
        if self._standing is None:
            await self.close(SIGNED_OUT)
            return
        most = MAX_CONNECTIONS_PER_LINK if self._standing.of_link else MAX_CONNECTIONS_PER_USER
        if _PER_PERSON[self._standing.person] >= most:
            await self.send(
                frames.error("LIMIT", f"There are {most} live connections, the maximum. Close another tab.")
            )
            await self.close(TOO_MANY)
            return
        _PER_PERSON[self._standing.person] += 1
        self._hub: Hub = hub()
        self.connection = Connection(
            self._send_frame,
            self.close,
            self.scope[ABORT],
            self._standing.person,
            of_link=self._standing.of_link,
        )
        self._hub.connections.add(self.connection)
        self._hub.rights.add(self.connection, self._standing, self._needs)

    async def _send_frame(self, text: str) -> None:
        await self.scope[SEND]({"type": "websocket.send", "text": text})

    def _read_standing(self) -> Standing | None:
        """The connection's credentials: a link, the token of a ticket or header, the session of a ticket,
        or the browser's session. None: nobody is signed in.
        """
        user, given = self.scope.get("user"), self.scope.get(CREDENTIALS)
        if given is not None and given.link is not None:
            return Standing(None, link_id=given.link)
        if user is None or not user.is_authenticated:
            return None
        if given is not None:
            return Standing(user.pk, given.session, given.token)
        session = self.scope.get("session")
        return Standing(user.pk, session.session_key if session is not None else None)

    def _needs(self) -> Needs:
        """What the current subscriptions need."""
        subscriptions = self.connection.subscriptions if self.connection is not None else {}
        return {subscription: _need(subscription) for subscription in subscriptions.values()}

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - the base class's signature
        """Release the connection."""
        connection = self.connection
        if connection is None:
            return
        self.connection = None
        self._hub.connections.discard(connection)
        self._hub.rights.remove(connection)
        connection.release()
        person = connection.person
        _PER_PERSON[person] -= 1
        if not _PER_PERSON[person]:
            del _PER_PERSON[person]

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002
        """One frame of the client."""
        connection = self.connection
        if connection is None or connection.closed:
            return
        try:
            self._count_request()
            if text_data is None:
                raise FrameError("BAD_FRAME", "frames must be text")
            await self._serve(connection, parse_request(text_data))
        except FrameError as error:
            self._reject(connection, error)

    async def _serve(self, connection: Connection, request: Request) -> None:
        match request:
            case Subscribe():
                await self._subscribe(connection, request)
            case Unsubscribe():
                self._unsubscribe(connection, request.id)
            case Ping():
                connection.post(frames.frame("pong"))
            case _:
                return

    def _count_request(self) -> None:
        now = asyncio.get_running_loop().time()
        self._requests.append(now)
        while self._requests[0] < now - REQUESTS_WINDOW_S:
            self._requests.popleft()
        if len(self._requests) > MAX_REQUESTS:
            raise FrameError("LIMIT", f"the limit is {MAX_REQUESTS} frames in {REQUESTS_WINDOW_S:.0f} s")

    def _reject(self, connection: Connection, error: FrameError) -> None:
        metrics.REJECTED.labels(code=error.code).inc()
        connection.post(frames.error(error.code, str(error), error.subscription))
        if error.code in HARMLESS:
            return
        now = asyncio.get_running_loop().time()
        self._bad_frames.append(now)
        while self._bad_frames[0] < now - BAD_FRAMES_WINDOW_S:
            self._bad_frames.popleft()
        if len(self._bad_frames) > MAX_BAD_FRAMES:
            connection.end(ABUSE, "ABUSE", "Too many invalid frames. See docs/protocol.md.")

    async def _subscribe(self, connection: Connection, request: Subscribe) -> None:
        channel = parse_channel(request)
        if request.id in connection.subscriptions:
            raise FrameError(
                "DUPLICATE_ID", f"subscription {request.id} already exists; unsubscribe it first", request.id
            )
        if len(connection.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise FrameError(
                "LIMIT", f"the limit is {MAX_SUBSCRIPTIONS} subscriptions per connection", request.id
            )
        try:
            async with self._hub.admissions.of(connection.person):
                await self._admit(connection, request, channel)
        except FrameError:
            raise
        except Exception as error:
            # What is wrong with one subject ends nothing else.
            begun = connection.subscriptions.pop(request.id, None)
            if begun is not None:
                begun.close()
            if isinstance(error, NotFoundError):
                raise _not_found(request) from error
            if isinstance(error, (ServiceError, KafkaException, DatabaseError)):
                _LOG.info("subscription to %s: %s", request.channel, error)
            else:
                _LOG.exception("subscription to %s failed", request.channel)
            message = error.detail if isinstance(error, ServiceError) else _TRY_AGAIN
            connection.post(frames.error("UNAVAILABLE", message, request.id))

    async def _admit(self, connection: Connection, request: Subscribe, channel: ChannelName) -> None:
        pool, standing = self._hub.pool, self._standing
        if standing is None or standing.user_id is None:
            await self._admit_shared(connection, request, channel)
            return
        workspace_id = await pool.run(lookups.workspace_of, standing.user_id, request.workspace)
        if workspace_id is None:
            raise _not_found(request)
        if channel.kind in ("runs", "alerts"):
            states = LatestSubscription(connection, request.id, channel.kind, "", workspace_id)
            self._accepted(connection, request, states, None)
            served = self._hub.runs if channel.kind == "runs" else self._hub.alerts
            await served.subscribe(states)
        elif channel.kind in ("groups", "group"):
            await self._admit_groups(connection, request, channel, workspace_id)
        elif channel.kind == "tail":
            await self._admit_tail(
                connection, request, await pool.run(lookups.find_stream, workspace_id, channel.subject)
            )
        elif channel.kind == "topic":
            who = (standing.user_id, workspace_id)
            # It asks the cluster, which may not answer.
            found = await self._hub.tail_pool.run(lookups.find_topic, *who, channel.cluster, channel.subject)
            await self._admit_tail(connection, request, found)
        else:
            await self._admit_job(connection, request, channel, workspace_id)

    async def _admit_groups(
        self, connection: Connection, request: Subscribe, channel: ChannelName, workspace_id: int
    ) -> None:
        pool = self._hub.pool
        if channel.kind == "group" and not await pool.run(
            group_lookups.has_group, workspace_id, channel.cluster, channel.subject
        ):
            raise _not_found(request)
        subject = f"{channel.cluster}/{channel.subject}" if channel.kind == "group" else ""
        groups = LatestSubscription(connection, request.id, channel.kind, subject, workspace_id)
        self._accepted(connection, request, groups, None)
        await self._hub.groups.subscribe(groups)

    async def _admit_shared(self, connection: Connection, request: Subscribe, channel: ChannelName) -> None:
        """A subscription with a link: the results of jobs on its dashboard, and nothing else. The
        request's workspace is not looked at.
        """
        link_id = self._standing.link_id if self._standing is not None else None
        if channel.kind != "results" or link_id is None:
            raise _not_found(request)
        workspace_id = await self._hub.pool.run(lookups.shared_workspace, link_id, channel.subject)
        if workspace_id is None:
            raise _not_found(request)
        await self._admit_job(connection, request, channel, workspace_id)

    async def _admit_job(
        self, connection: Connection, request: Subscribe, channel: ChannelName, workspace_id: int
    ) -> None:
        job = await self._hub.pool.run(lookups.find_job, workspace_id, channel.subject)
        if job is None:
            raise _not_found(request)
        generation = job.run.generation if job.run is not None else 0
        if channel.kind == "lag":
            lag = LatestSubscription(connection, request.id, "lag", channel.subject, workspace_id)
            self._accepted(connection, request, lag, generation)
            self._hub.lag.subscribe(lag, job)
            return
        if channel.kind == "logs":
            log = LogSubscription(connection, request.id, channel.subject, workspace_id)
            self._accepted(connection, request, log, generation)
            self._hub.logs.subscribe(log, job)
            return
        results = ResultSubscription(
            connection,
            request.id,
            channel.subject,
            workspace_id,
            request.interval_ms,
            request.limit,
            shared=self._standing is None or self._standing.link_id is not None,
        )
        self._accepted(connection, request, results, generation)
        self._hub.results.subscribe(connection, results, request.cursor)

    async def _admit_tail(
        self, connection: Connection, request: Subscribe, stream: lookups.StreamInfo | None
    ) -> None:
        if stream is None:
            raise _not_found(request)
        try:
            view = await self._hub.pool.run(TailView, stream, request.where)
        except ServiceError as error:
            raise FrameError(error.code, error.detail, request.id) from error
        tails = self._hub.tails
        tail = TailSubscription(
            connection, request.id, stream.reading, view, request.max_per_second, tails.shares
        )
        await tails.subscribe(tail, stream, lambda: self._accepted(connection, request, tail, None))

    def _accepted(
        self,
        connection: Connection,
        request: Subscribe,
        subscription: ResultSubscription | LatestSubscription | TailSubscription | LogSubscription,
        generation: int | None,
    ) -> None:
        if connection.closed:
            raise FrameError("CLOSED", "the connection is closing", request.id)
        connection.subscriptions[request.id] = subscription
        more = {} if generation is None else {"generation": generation}
        connection.post(frames.frame("subscribed", id=request.id, channel=request.channel, **more))

    def _unsubscribe(self, connection: Connection, subscription_id: int) -> None:
        subscription = connection.subscriptions.pop(subscription_id, None)
        if subscription is not None:
            subscription.close()
        connection.post(frames.frame("unsubscribed", id=subscription_id))


def _need(subscription: Subscription) -> Need:
    match subscription:
        case TailSubscription(reading=reading):
            return Need(reading.workspace_id, reading.right, reading=reading)
        case ResultSubscription(job_id=job_id):
            return Need(subscription.workspace_id, Right.READ, results_of=job_id, job_id=job_id)
        case LogSubscription(job_id=job_id) | LatestSubscription(kind="lag", subject=job_id):
            return Need(subscription.workspace_id, Right.READ, job_id=job_id)
        case _:
            return Need(subscription.workspace_id, Right.READ)


def _not_found(request: Subscribe) -> FrameError:
    """The same error for what does not exist and what the user may not see."""
    return FrameError("NOT_FOUND", "Job, stream or group not found, or you don't have access.", request.id)
