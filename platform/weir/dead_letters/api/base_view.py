"""Base of views about one stream."""

from weir.dead_letters.models import Validator
from weir.streams.models import Stream
from weir.streams.services.streams import get_stream
from weir.workspaces.api.base_view import WorkspaceView


class StreamScopedView(WorkspaceView):
    """A view whose URL names a stream."""

    def stream(self, name: str) -> Stream:
        """The stream of the URL."""
        return get_stream(self.workspace, name)

    def target(self, validator: Validator, to: str | None) -> Stream:
        """The stream that dead letters are sent to; None: their own."""
        return validator.stream if to is None else self.stream(to)
