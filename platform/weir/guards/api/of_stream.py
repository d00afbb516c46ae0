"""Views below a stream."""

from weir.guards.models import Guard
from weir.streams.models import Stream
from weir.streams.services import get_stream
from weir.workspaces.base_view import WorkspaceView


class OfStreamView(WorkspaceView):
    """A view whose address names a stream."""

    def stream(self, name: str) -> Stream:
        """The stream of the address."""
        return get_stream(self.workspace, name)

    def target(self, guard: Guard, to: str | None) -> Stream:
        """The stream that letters are to be sent to; None: their own."""
        return guard.stream if to is None else self.stream(to)
